package io.bulwark.gateway.s3.form;

import io.bulwark.gateway.s3.body.BodyReader;
import io.bulwark.gateway.s3.body.VerifiedBody;
import io.bulwark.gateway.s3.request.Caller;
import io.bulwark.gateway.s3.request.PercentEncoding;
import io.bulwark.gateway.s3.request.RequestHead;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.request.WireText;
import io.bulwark.gateway.s3.signature.Authenticator;
import io.bulwark.gateway.s3.xml.XmlElement;
import io.bulwark.gateway.s3.xml.XmlReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One verified upload by a form.
 *
 * @param head of the request, with the fields as headers instead of those about the form as a whole
 * @param fields by lower-case name
 */
public record FormUpload(
        Caller caller, String key, RequestHead head, SortedMap<String, String> fields, VerifiedBody file) {
    private static final String FILE_NAME = "${filename}";
    private static final String ACL = "x-amz-acl";
    private static final String TAGGING = "x-amz-tagging";
    private static final Pattern HEADER_NAME = Pattern.compile("[a-z0-9!#$%&'*+.^_`|~-]+");
    /** Headers of the request that say something about its sender; all others are about the form as a whole. */
    private static final Set<String> KEPT_HEADERS = Set.of("host", "origin", "referer", "user-agent");
    /** Fields of the signature, which are no headers of the object. */
    private static final Set<String> SIGNATURE_FIELDS =
            Set.of("policy", "x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-signature");

    /**
     * Reads the fields of a form and verifies them.
     *
     * @throws S3Exception if it is refused
     */
    public static FormUpload open(
            RequestHead request, String bucket, InputStream wire, Authenticator authenticator, InstantSource clock)
            throws IOException {
        FormReader form = FormReader.open(wire, request.single("content-type").orElse(""));
        SortedMap<String, String> fields = new TreeMap<>(form.fields());
        Caller caller = authenticator.authenticateForm(fields);
        String template = fields.get("key");
        if (template == null || template.isEmpty()) {
            throw new S3Exception(
                    400,
                    "InvalidArgument",
                    "Bucket POST must contain a field named 'key'.  If it is specified, please check the order of the"
                            + " fields.");
        }
        String key = template.replace(FILE_NAME, form.fileName());
        fields.put("key", key);
        long sizeMin = 0;
        long sizeMax = BodyReader.BODY_BYTES_MAX;
        String policyText = fields.get("policy");
        if (policyText != null) {
            PostPolicy policy = PostPolicy.parse(policyText);
            TreeMap<String, String> judged = new TreeMap<>(fields);
            judged.put("bucket", bucket);
            policy.enforce(judged, clock.instant());
            sizeMin = policy.sizeMin();
            sizeMax = Math.min(sizeMax, policy.sizeMax());
        }
        RequestHead head = headOf(request, fields);
        return new FormUpload(caller, key, head, fields, BodyReader.openFile(head, form.file(), sizeMin, sizeMax));
    }

    /** Returns the head of a put of the same object, so that rules about headers hold for forms, too. */
    private static RequestHead headOf(RequestHead request, SortedMap<String, String> form) {
        SortedMap<String, String> fields = new TreeMap<>(form);
        rename(fields, "acl", ACL);
        Optional.ofNullable(fields.remove("tagging"))
                .ifPresent(document -> fields.merge(TAGGING, tagHeader(document), (one, other) -> one + "&" + other));
        TreeMap<String, List<String>> headers = new TreeMap<>();
        request.headers().forEach((name, values) -> {
            if (KEPT_HEADERS.contains(name)) {
                headers.put(name, values);
            }
        });
        fields.forEach((name, value) -> {
            if (HEADER_NAME.matcher(name).matches()
                    && !SIGNATURE_FIELDS.contains(name)
                    && !KEPT_HEADERS.contains(name)) {
                headers.put(name, List.of(WireText.of(value)));
            }
        });
        return new RequestHead(request.method(), request.target(), headers);
    }

    private static void rename(SortedMap<String, String> fields, String name, String header) {
        String value = fields.remove(name);
        if (value != null && !value.equals(fields.getOrDefault(header, value))) {
            throw new S3Exception(
                    400, "InvalidArgument", "The fields " + name + " and " + header + " contradict each other.");
        }
        if (value != null) {
            fields.put(header, value);
        }
    }

    /** Returns the tags of a document in the form of the header, which is checked where headers are. */
    private static String tagHeader(String document) {
        XmlElement root = XmlReader.parse(document.getBytes(StandardCharsets.UTF_8));
        return root.required("TagSet").all("Tag").stream()
                .map(tag -> PercentEncoding.encode(tag.required("Key").text()) + "="
                        + PercentEncoding.encode(tag.required("Value").text()))
                .collect(Collectors.joining("&"));
    }
}
