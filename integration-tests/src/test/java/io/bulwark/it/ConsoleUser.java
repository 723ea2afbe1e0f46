package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Administrator of a console.
 *
 * @param url of the console, without a path
 * @param token personal access token for its API
 */
record ConsoleUser(String url, String name, String password, String token) {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Makes the first account by the set-up link, as an installation without a browser does. */
    static ConsoleUser setUp(String link) throws IOException, InterruptedException {
        URI setup = URI.create(link);
        String url = setup.getScheme() + "://" + setup.getAuthority();
        String token = setup.getQuery().substring("token=".length());
        String name = "ada";
        String password = "correct horse battery";
        String body = JSON.createObjectNode()
                .put("token", token)
                .put("name", name)
                .put("password", password)
                .toString();
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpResponse<String> made = http.send(
                    HttpRequest.newBuilder(URI.create(url + "/api/v1/setup"))
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString(body))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
            return new ConsoleUser(
                    url, name, password, JSON.readTree(made.body()).get("token").asString());
        }
    }

    /** Returns a request to the API, to be completed. */
    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path)).header("Authorization", "Bearer " + token);
    }

    /** Gets JSON from the API. */
    JsonNode get(String path) throws IOException, InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpResponse<String> answer = http.send(request(path).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(path + ": " + answer.body()).isEqualTo(200);
            return JSON.readTree(answer.body());
        }
    }
}
