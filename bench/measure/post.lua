-- wrk ... -- FILE: posts the file as JSON. No `request` function, so that wrk
-- formats the request once.
init = function(args)
  wrk.method = "POST"
  wrk.headers["content-type"] = "application/json"
  wrk.body = io.open(args[1]):read("*a")
end
