package io.bulwark.console;

import io.bulwark.console.access.CookieNames;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.JsonSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.parameters.HeaderParameter;
import io.swagger.v3.oas.models.parameters.Parameter;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import io.swagger.v3.oas.models.servers.Server;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.springdoc.core.customizers.OpenApiCustomizer;
import org.springframework.stereotype.Component;

/**
 * Completes the published description of the API: how a request signs in, and the problems that filters and shared rules answer
 * with, which no controller names. A controller names the problems of its own operation.
 */
@Component
class ApiDocument implements OpenApiCustomizer {
    private static final String TOKEN = "token";
    private static final String SESSION = "session";
    private static final String PROBLEM = "Problem";
    private static final String SETUP = "/api/v1/setup";
    private static final String ANY = "*/*";
    private static final String JSON = org.springframework.http.MediaType.APPLICATION_JSON_VALUE;
    private static final String PROBLEM_JSON = org.springframework.http.MediaType.APPLICATION_PROBLEM_JSON_VALUE;
    private static final String KEY = "Idempotency-Key";
    private static final String IF_MATCH = "If-Match";
    private static final int ERRORS = 400;

    private final ConsoleSettings settings;
    private final ApiSchemas.Names names;

    ApiDocument(ConsoleSettings settings, ApiSchemas.Names names) {
        this.settings = settings;
        this.names = names;
    }

    @Override
    public void customise(OpenAPI api) {
        String version = ApiDocument.class.getPackage().getImplementationVersion();
        api.setInfo(new Info()
                .title("Bulwark console API")
                .description(
                        "Administration and objects of a cluster. Errors are problem details (RFC 9457); `field` names"
                                + " the field or parameter at fault.")
                .version(version == null ? "development" : version));
        // Relative, so that the description does not depend on the address under which somebody read it.
        api.setServers(List.of(new Server().url("/")));
        Components components = Objects.requireNonNullElseGet(api.getComponents(), Components::new);
        components.addSecuritySchemes(
                TOKEN,
                new SecurityScheme()
                        .type(SecurityScheme.Type.HTTP)
                        .scheme("bearer")
                        .description("A personal access token; the account page makes one"));
        components.addSecuritySchemes(
                SESSION,
                new SecurityScheme()
                        .type(SecurityScheme.Type.APIKEY)
                        .in(SecurityScheme.In.COOKIE)
                        .name(CookieNames.of("session", settings))
                        .description("The session of a browser that signed in; changes need its CSRF token too"));
        if (components.getSchemas() != null) {
            components.getSchemas().forEach(names::mark);
        }
        components.addSchemas(PROBLEM, problem());
        api.setComponents(components);
        api.setSecurity(List.of(new SecurityRequirement().addList(TOKEN), new SecurityRequirement().addList(SESSION)));
        api.getPaths()
                .forEach((path, item) ->
                        item.readOperationsMap().forEach((method, operation) -> complete(path, method, operation)));
    }

    private static Schema<?> problem() {
        Schema<?> problem = new JsonSchema();
        problem.setTypes(Set.of("object"));
        problem.setDescription("Problem details; a kind of problem may have further members");
        problem.addProperty("type", text("URI of the kind of problem; left out if it has none"));
        problem.addProperty("title", text("The status in words"));
        problem.addProperty("status", new JsonSchema().types(Set.of("integer")).description("The HTTP status"));
        problem.addProperty("detail", text("The failure, and what to do next"));
        problem.addProperty("instance", text("The path of the request"));
        problem.addProperty("field", text("The field or parameter at fault"));
        problem.setRequired(List.of("title", "status"));
        problem.setAdditionalProperties(true);
        return problem;
    }

    private static Schema<?> text(String description) {
        return new JsonSchema().types(Set.of("string")).description(description);
    }

    private static void complete(String path, PathItem.HttpMethod method, Operation operation) {
        ApiResponses answers = Objects.requireNonNullElseGet(operation.getResponses(), ApiResponses::new);
        operation.setResponses(answers);
        add(answers, "400", "A parameter, header or field is wrong; `field` names it");
        if (path.equals(SETUP)) {
            operation.setSecurity(List.of());
        } else {
            add(answers, "401", "The request is not signed in, or its token is not valid");
            add(answers, "403", "The role or the grants of the person do not allow it");
        }
        if (path.contains("{")) {
            add(answers, "404", "There is nothing of this name or number");
        }
        add(answers, "406", "The operation has no answer of the wanted media type");
        if (hasParameter(operation, IF_MATCH)) {
            add(answers, "412", "It has changed since the client read it");
        }
        if (operation.getRequestBody() != null) {
            add(answers, "413", "The JSON body is longer than 1 MiB");
            add(answers, "415", "The body has another media type than JSON");
        }
        add(answers, "421", "The console does not answer under this host name");
        if (method != PathItem.HttpMethod.GET && method != PathItem.HttpMethod.HEAD) {
            add(answers, "409", "The present state does not allow it");
            add(answers, "429", "A bound of the cluster or of the console is reached");
        }
        if (method == PathItem.HttpMethod.POST && !path.endsWith("/zip")) {
            add(answers, "422", "The `Idempotency-Key` was used for another request");
            if (!hasParameter(operation, KEY)) {
                operation.addParametersItem(new HeaderParameter()
                        .name(KEY)
                        .description("A repeated request with the same key gets the first answer, for an hour")
                        .schema(new JsonSchema()
                                .types(Set.of("string"))
                                .minLength(1)
                                .maxLength(128)));
            }
        }
        add(answers, "503", "The cluster does not answer");
        answers.forEach((status, answer) -> setContent(Integer.parseInt(status), answer));
    }

    private static boolean hasParameter(Operation operation, String name) {
        List<Parameter> parameters = operation.getParameters();
        return parameters != null && parameters.stream().anyMatch(each -> name.equals(each.getName()));
    }

    private static void add(ApiResponses answers, String status, String description) {
        if (!answers.containsKey(status)) {
            answers.addApiResponse(status, new ApiResponse().description(description));
        }
    }

    /** A controller's method has one type of result, which the generator gives to all of its statuses. */
    private static void setContent(int status, ApiResponse answer) {
        if (status >= ERRORS) {
            // Only a controller that says so answers a failure with JSON of its own.
            Content content = answer.getContent();
            if (content == null || !content.containsKey(JSON)) {
                answer.setContent(new Content()
                        .addMediaType(
                                PROBLEM_JSON,
                                new MediaType().schema(new JsonSchema().$ref("#/components/schemas/" + PROBLEM))));
            }
        } else if (status == 204 || status == 304) {
            answer.setContent(null);
        } else if (answer.getContent() != null && answer.getContent().containsKey(ANY)) {
            answer.getContent().addMediaType(JSON, answer.getContent().remove(ANY));
        }
    }
}
