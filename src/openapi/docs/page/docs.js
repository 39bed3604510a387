// Shows the document in Swagger UI, which stands before this in the built script.

const holder = document.getElementById("swagger-ui");
const { document: url, cookies } = holder.dataset;

const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followScheme);
followScheme();

const ui = window.SwaggerUIBundle({
  domNode: holder,
  url,
  deepLinking: true,
  // The validator is a server of others, which would be sent the address of the document.
  validatorUrl: null,
  persistAuthorization: false,
  requestInterceptor(request) {
    // "omit" also keeps the cookies of the response from being set.
    if (!request.loadSpec && cookies === "omit") request.credentials = "omit";
    return request;
  },
  onComplete() {
    document.title = ui.specSelectors.info().get("title") ?? document.title;
  },
});
