package io.bulwark.appliance.up;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Client of the readiness endpoint {@code /actuator/health/readiness} of a member in a process of its own. */
final class MemberHealth {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int WAIT_MILLIS_MAX = 1_000;
    private static final int ANSWER_BYTES_MAX = 64 << 10;

    private MemberHealth() {}

    /** Returns the reason why it does not do its work; empty if it does, or does not answer. */
    static Optional<String> problem(InetSocketAddress admin) {
        URI readiness =
                URI.create("http://" + admin.getHostString() + ":" + admin.getPort() + "/actuator/health/readiness");
        try {
            HttpURLConnection connection = (HttpURLConnection) readiness.toURL().openConnection();
            connection.setConnectTimeout(WAIT_MILLIS_MAX);
            connection.setReadTimeout(WAIT_MILLIS_MAX);
            if (connection.getResponseCode() != HttpURLConnection.HTTP_UNAVAILABLE) {
                return Optional.empty();
            }
            try (InputStream body = connection.getErrorStream()) {
                return body == null ? Optional.empty() : problem(body.readNBytes(ANSWER_BYTES_MAX));
            }
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> problem(byte[] body) {
        try {
            for (JsonNode problem : JSON.readTree(body).path("problems")) {
                return Optional.of(problem.asString());
            }
            return Optional.empty();
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }
}
