package io.bulwark.gateway.s3.object;

import io.bulwark.client.ObjectInfo;
import io.bulwark.client.PutOptions;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.call.EntityTags;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.PercentEncoding;
import io.bulwark.gateway.s3.xml.XmlWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;

/** Puts the file of a form, as browsers send it. The policy of the form has been enforced before. */
public final class PostedObject {
    private PostedObject() {}

    /** Puts the file, and answers as the form wants it. */
    public static void post(Call call) {
        SortedMap<String, String> form = call.exchange()
                .form()
                .orElseThrow(() -> ErrorCode.METHOD_NOT_ALLOWED.because(
                        "The specified method is not allowed against this resource."));
        String key = ObjectWrites.checkedKey(call.key());
        call.authorization().require(Action.PUT_OBJECT, key);
        NewObject object = NewObject.of(call);
        PutOptions options = object.options()
                .withLock(ObjectWrites.lock(call))
                .withFinalProperties(() -> ObjectWrites.digests(call.exchange().digests()));
        ObjectInfo stored = call.bucket().put(key, call.exchange().body(), options);
        String tag = EntityTags.quoted(
                HexFormat.of().formatHex(call.exchange().digests().md5()));
        SortedMap<String, String> headers = ObjectWrites.written(stored);
        headers.put("etag", tag);
        String location = "/" + PercentEncoding.encode(call.bucketName()) + "/" + PercentEncoding.encode(key);
        headers.put("location", location);
        Optional<String> redirection = Optional.ofNullable(form.get("success_action_redirect"))
                .or(() -> Optional.ofNullable(form.get("redirect")))
                .flatMap(text -> redirection(text, call, tag));
        if (redirection.isPresent()) {
            headers.put("location", redirection.get());
            call.respond(303, headers);
            return;
        }
        switch (form.getOrDefault("success_action_status", "")) {
            case "200" -> call.respond(200, headers);
            case "201" -> created(call, tag, location, headers);
            default -> call.respond(204, headers);
        }
    }

    private static void created(Call call, String tag, String location, SortedMap<String, String> headers) {
        byte[] document = new XmlWriter("PostResponse")
                .element("Location", location)
                .element("Bucket", call.bucketName())
                .element("Key", call.key())
                .element("ETag", tag)
                .toBytes();
        headers.put("content-type", "application/xml");
        try (OutputStream out = call.exchange().respond(201, headers, OptionalLong.of(document.length))) {
            out.write(document);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the address with what was put; empty if the form names none that can be one. */
    private static Optional<String> redirection(String address, Call call, String tag) {
        try {
            URI uri = new URI(address);
            if (!"http".equals(uri.getScheme()) && !"https".equals(uri.getScheme())) {
                return Optional.empty();
            }
        } catch (URISyntaxException _) {
            return Optional.empty();
        }
        return Optional.of(
                address + (address.indexOf('?') < 0 ? '?' : '&') + "bucket=" + PercentEncoding.encode(call.bucketName())
                        + "&key=" + PercentEncoding.encode(call.key()) + "&etag=" + PercentEncoding.encode(tag));
    }
}
