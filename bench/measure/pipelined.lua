-- wrk ... -- DEPTH: sends the request DEPTH times at once.
init = function(args)
  batch = string.rep(wrk.format(), tonumber(args[1]))
end

request = function()
  return batch
end
