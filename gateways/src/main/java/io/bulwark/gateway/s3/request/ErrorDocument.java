package io.bulwark.gateway.s3.request;

import java.nio.charset.StandardCharsets;

/** The XML document of a refusal. */
public final class ErrorDocument {
    private ErrorDocument() {}

    /**
     * Writes one.
     *
     * @param resource path of the request, as the sender gave it
     */
    public static byte[] encode(S3Exception refusal, String resource, String requestId, String hostId) {
        StringBuilder xml = new StringBuilder(512);
        xml.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error>");
        append(xml, "Code", refusal.code());
        append(xml, "Message", String.valueOf(refusal.getMessage()));
        refusal.details().forEach((element, value) -> append(xml, element, value));
        append(xml, "Resource", resource);
        append(xml, "RequestId", requestId);
        append(xml, "HostId", hostId);
        return xml.append("</Error>").toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void append(StringBuilder xml, String element, String value) {
        xml.append('<').append(element).append('>');
        value.codePoints().forEach(c -> {
            switch (c) {
                case '<' -> xml.append("&lt;");
                case '>' -> xml.append("&gt;");
                case '&' -> xml.append("&amp;");
                case '"' -> xml.append("&quot;");
                case '\t', '\n' -> xml.append((char) c);
                // A parser would make a new line of it.
                case '\r' -> xml.append("&#13;");
                default -> xml.appendCodePoint(isAllowed(c) ? c : '\ufffd');
            }
        });
        xml.append("</").append(element).append('>');
    }

    /** XML 1.0, production 2: some characters can be written in no way. */
    private static boolean isAllowed(int c) {
        return (c >= 0x20 && c <= 0xd7ff) || (c >= 0xe000 && c <= 0xfffd) || c >= 0x10000;
    }
}
