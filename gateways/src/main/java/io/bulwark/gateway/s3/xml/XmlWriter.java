package io.bulwark.gateway.s3.xml;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** Writes one document in the name space of S3. */
public final class XmlWriter {
    private static final String NAME_SPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

    private final StringBuilder out = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    private final Deque<String> open = new ArrayDeque<>();

    /** Begins a document with this root. */
    public XmlWriter(String root) {
        out.append('<').append(root).append(" xmlns=\"").append(NAME_SPACE).append("\">");
        open.push(root);
    }

    /** Begins an element. */
    public XmlWriter begin(String name) {
        out.append('<').append(name).append('>');
        open.push(name);
        return this;
    }

    /** Begins an element that names its type, as grantees of access control lists do. */
    public XmlWriter beginTyped(String name, String type) {
        out.append('<')
                .append(name)
                .append(" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"")
                .append(type)
                .append("\">");
        open.push(name);
        return this;
    }

    /** Ends the innermost element. */
    public XmlWriter end() {
        out.append("</").append(open.pop()).append('>');
        return this;
    }

    public XmlWriter element(String name, String text) {
        out.append('<').append(name).append('>');
        escape(text);
        out.append("</").append(name).append('>');
        return this;
    }

    public XmlWriter element(String name, long number) {
        return element(name, Long.toString(number));
    }

    public XmlWriter element(String name, boolean value) {
        return element(name, Boolean.toString(value));
    }

    /** Writes an element if there is a text. */
    public XmlWriter optional(String name, Optional<String> text) {
        text.ifPresent(present -> element(name, present));
        return this;
    }

    /** Ends all elements, and returns the document in UTF-8. */
    public byte[] toBytes() {
        while (!open.isEmpty()) {
            end();
        }
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void escape(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '"' -> out.append("&quot;");
                default -> {
                    // Parsers turn a bare carriage return into a line feed.
                    if (c == '\uFFFE' || c == '\uFFFF') {
                        out.append('\uFFFD'); // XML has neither, not even as a reference.
                    } else if (c < ' ') {
                        out.append("&#x").append(Integer.toHexString(c)).append(';');
                    } else {
                        out.append(c);
                    }
                }
            }
        }
    }
}
