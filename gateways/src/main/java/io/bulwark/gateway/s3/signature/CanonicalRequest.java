package io.bulwark.gateway.s3.signature;

import io.bulwark.gateway.s3.request.PercentEncoding;
import io.bulwark.gateway.s3.request.RequestHead;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The canonical form of a request, whose digest is signed. Each of its characters is one byte. */
final class CanonicalRequest {
    static final String SIGNATURE_PARAMETER = "X-Amz-Signature";

    private CanonicalRequest() {}

    /**
     * Builds it.
     *
     * @param signedHeaders lower case and sorted
     */
    static String of(RequestHead head, List<String> signedHeaders, String payloadHash) {
        StringBuilder text = new StringBuilder(512);
        text.append(head.method()).append('\n');
        text.append(PercentEncoding.encodePath(head.target().path())).append('\n');
        appendQuery(text, head.target().query());
        text.append('\n');
        for (String name : signedHeaders) {
            text.append(name).append(':');
            appendValues(text, head.headers().getOrDefault(name, List.of()));
            text.append('\n');
        }
        text.append('\n').append(String.join(";", signedHeaders)).append('\n').append(payloadHash);
        return text.toString();
    }

    static String hash(String canonicalRequest) {
        return Digests.hex(Digests.sha256(canonicalRequest.getBytes(StandardCharsets.ISO_8859_1)));
    }

    private static void appendQuery(StringBuilder text, Map<String, String> query) {
        // Sorted by the encoded name: in the other order some characters beyond ASCII come elsewhere.
        TreeMap<String, String> encoded = new TreeMap<>();
        query.forEach((name, value) -> {
            if (!name.equals(SIGNATURE_PARAMETER)) {
                encoded.put(PercentEncoding.encode(name), PercentEncoding.encode(value));
            }
        });
        String separator = "";
        for (Map.Entry<String, String> parameter : encoded.entrySet()) {
            text.append(separator).append(parameter.getKey()).append('=').append(parameter.getValue());
            separator = "&";
        }
    }

    private static void appendValues(StringBuilder text, List<String> values) {
        String separator = "";
        for (String value : values) {
            text.append(separator);
            appendTrimmed(text, value);
            separator = ",";
        }
    }

    /** Appends without the space at both ends, and with one space for each sequence of them. */
    private static void appendTrimmed(StringBuilder text, String value) {
        boolean isSpace = false;
        int begin = text.length();
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == ' ' || c == '\t') {
                isSpace = true;
                continue;
            }
            if (isSpace && text.length() > begin) {
                text.append(' ');
            }
            isSpace = false;
            text.append(c);
        }
    }
}
