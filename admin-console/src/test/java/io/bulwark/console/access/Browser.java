package io.bulwark.console.access;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.CookieManager;
import java.net.CookiePolicy;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A browser as far as sign-in goes: cookies, and forms with the token against forged requests. It follows no redirection. */
final class Browser implements AutoCloseable {
    private static final Pattern CSRF = Pattern.compile("name=\"_csrf\"[^>]*value=\"([^\"]+)\"");

    private final String base;
    private final CookieManager cookies = new CookieManager(null, CookiePolicy.ACCEPT_ALL);
    private final HttpClient http =
            HttpClient.newBuilder().cookieHandler(cookies).build();

    Browser(String base) {
        this.base = base;
    }

    HttpResponse<String> get(String path, String... headers) {
        HttpRequest.Builder request = request(path);
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    /** Sends a form with the token of the page at a path. */
    HttpResponse<String> submit(String page, String path, Map<String, String> fields) {
        Matcher token = CSRF.matcher(get(page).body());
        if (!token.find()) {
            throw new AssertionError(page + " has no form");
        }
        return post(path, fields, token.group(1));
    }

    HttpResponse<String> post(String path, Map<String, String> fields, String csrf) {
        String form = fields.entrySet().stream()
                .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&", "_csrf=" + URLEncoder.encode(csrf, StandardCharsets.UTF_8) + "&", ""));
        return send(request(path)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form)));
    }

    HttpResponse<String> json(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = request(path)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        return send(headers.length == 0 ? request : request.headers(headers));
    }

    HttpResponse<String> signIn(String name, String password) {
        return submit("/sign-in", "/sign-in", Map.of("name", name, "password", password));
    }

    /** Returns the value of a cookie; empty if there is none. */
    String cookie(String prefix) {
        return cookies.getCookieStore().getCookies().stream()
                .filter(cookie -> cookie.getName().startsWith(prefix))
                .map(cookie -> cookie.getValue())
                .findFirst()
                .orElse("");
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base).resolve(path));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
