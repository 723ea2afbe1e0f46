package io.bulwark.gateway.s3.cors;

import io.bulwark.gateway.s3.xml.XmlElement;
import io.bulwark.gateway.s3.xml.XmlReader;
import io.bulwark.gateway.s3.xml.XmlWriter;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The rules of a bucket for requests of browsers from other origins. The first rule that fits counts. */
public record CorsRules(List<Rule> rules) {
    private static final int RULES_MAX = 100;
    private static final Set<String> METHODS = Set.of("GET", "PUT", "HEAD", "POST", "DELETE");
    private static final String ROOT = "CORSConfiguration";

    /** One rule. */
    public record Rule(
            Optional<String> id,
            List<String> methods,
            List<String> origins,
            List<String> allowedHeaders,
            List<String> exposedHeaders,
            Optional<Integer> maxAgeSeconds) {
        public Rule {
            methods = List.copyOf(methods);
            origins = List.copyOf(origins);
            allowedHeaders = List.copyOf(allowedHeaders);
            exposedHeaders = List.copyOf(exposedHeaders);
        }

        private boolean fits(String origin, String method, List<String> headers) {
            return methods.contains(method)
                    && origins.stream().anyMatch(pattern -> matches(pattern, origin, false))
                    && headers.stream()
                            .allMatch(header ->
                                    allowedHeaders.stream().anyMatch(pattern -> matches(pattern, header, true)));
        }
    }

    public CorsRules {
        rules = List.copyOf(rules);
    }

    /**
     * Returns the headers of the answer to a request; empty if no rule fits.
     *
     * @param headers that the browser wants to send, in lower case
     */
    public Optional<SortedMap<String, String>> headersFor(String origin, String method, List<String> headers) {
        return rules.stream()
                .filter(rule -> rule.fits(origin, method, headers))
                .findFirst()
                .map(rule -> headers(rule, origin, headers));
    }

    private static SortedMap<String, String> headers(Rule rule, String origin, List<String> headers) {
        boolean everybody = rule.origins().contains("*");
        SortedMap<String, String> answer = new TreeMap<>();
        answer.put("access-control-allow-origin", everybody ? "*" : origin);
        answer.put("access-control-allow-methods", String.join(", ", rule.methods()));
        answer.put("vary", "Origin, Access-Control-Request-Headers, Access-Control-Request-Method");
        if (!everybody) {
            answer.put("access-control-allow-credentials", "true");
        }
        if (!headers.isEmpty()) {
            answer.put("access-control-allow-headers", String.join(", ", headers));
        }
        if (!rule.exposedHeaders().isEmpty()) {
            answer.put("access-control-expose-headers", String.join(", ", rule.exposedHeaders()));
        }
        rule.maxAgeSeconds().ifPresent(seconds -> answer.put("access-control-max-age", seconds.toString()));
        return answer;
    }

    /** Reads the document of a request, or the one that was kept. */
    public static CorsRules read(byte[] document) {
        XmlElement root = XmlReader.read(new ByteArrayInputStream(document), ROOT);
        root.allowOnly("CORSRule");
        List<Rule> rules = root.all("CORSRule").stream().map(CorsRules::rule).toList();
        if (rules.isEmpty() || rules.size() > RULES_MAX) {
            throw XmlElement.malformed("it has 1 to " + RULES_MAX + " rules");
        }
        return new CorsRules(rules);
    }

    private static Rule rule(XmlElement element) {
        element.allowOnly("ID", "AllowedMethod", "AllowedOrigin", "AllowedHeader", "ExposeHeader", "MaxAgeSeconds");
        Rule rule = new Rule(
                element.textOf("ID"),
                texts(element, "AllowedMethod"),
                texts(element, "AllowedOrigin"),
                texts(element, "AllowedHeader"),
                texts(element, "ExposeHeader"),
                element.textOf("MaxAgeSeconds").map(CorsRules::seconds));
        if (rule.methods().isEmpty() || rule.origins().isEmpty() || !METHODS.containsAll(rule.methods())) {
            throw XmlElement.malformed("a rule needs origins, and methods out of GET, PUT, HEAD, POST and DELETE");
        }
        for (List<String> patterns : List.of(rule.origins(), rule.allowedHeaders())) {
            if (patterns.stream().anyMatch(pattern -> pattern.indexOf('*') != pattern.lastIndexOf('*'))) {
                throw XmlElement.malformed("an origin or header has more than one asterisk");
            }
        }
        for (String header : rule.exposedHeaders()) {
            if (!header.matches("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,255}")) {
                throw XmlElement.malformed("an exposed header is not the name of one");
            }
        }
        return rule;
    }

    /** Writes the document. */
    public byte[] toDocument() {
        XmlWriter out = new XmlWriter(ROOT);
        for (Rule rule : rules) {
            out.begin("CORSRule").optional("ID", rule.id());
            rule.methods().forEach(text -> out.element("AllowedMethod", text));
            rule.origins().forEach(text -> out.element("AllowedOrigin", text));
            rule.allowedHeaders().forEach(text -> out.element("AllowedHeader", text));
            rule.exposedHeaders().forEach(text -> out.element("ExposeHeader", text));
            rule.maxAgeSeconds().ifPresent(seconds -> out.element("MaxAgeSeconds", seconds));
            out.end();
        }
        return out.toBytes();
    }

    private static List<String> texts(XmlElement element, String name) {
        return element.all(name).stream().map(child -> child.text().strip()).toList();
    }

    private static int seconds(String text) {
        if (!text.matches("[0-9]{1,9}")) {
            throw XmlElement.malformed("MaxAgeSeconds is not a number");
        }
        return Integer.parseInt(text);
    }

    private static boolean matches(String pattern, String text, boolean ignoresCase) {
        int star = pattern.indexOf('*');
        if (star < 0) {
            return pattern.length() == text.length()
                    && text.regionMatches(ignoresCase, 0, pattern, 0, pattern.length());
        }
        int behind = pattern.length() - star - 1;
        return text.length() >= star + behind
                && text.regionMatches(ignoresCase, 0, pattern, 0, star)
                && text.regionMatches(ignoresCase, text.length() - behind, pattern, star + 1, behind);
    }
}
