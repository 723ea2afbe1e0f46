package io.bulwark.gateway.s3.object;

import io.bulwark.client.DeleteOptions;
import io.bulwark.client.DeletedObject;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.call.Parallel;
import io.bulwark.gateway.s3.call.SdkFailures;
import io.bulwark.gateway.s3.call.VersionIds;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.permission.Authorization;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.setting.SettingName;
import io.bulwark.gateway.s3.xml.XmlElement;
import io.bulwark.gateway.s3.xml.XmlWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Deletes objects, one or many at once. */
public final class ObjectDeletes {
    private static final int KEYS_MAX = 1000;

    private ObjectDeletes() {}

    /** One name to be deleted. */
    private record Target(String key, Optional<String> versionId, Optional<String> entityTag) {}

    /** Result for one name. */
    private record Deleted(Target target, Optional<String> marker, Optional<S3Exception> refusal) {}

    /** Deletes the object, or the version, that the request names. */
    public static void delete(Call call) {
        if (call.exchange().header("if-none-match").isPresent()
                || call.header("if-unmodified-since").isPresent()
                || call.exchange().headerNames().stream().anyMatch(name -> name.startsWith("x-amz-if-match-"))) {
            throw ErrorCode.NOT_IMPLEMENTED.because("A deletion has no other condition than If-Match here.");
        }
        Target target = new Target(call.key(), call.versionId(), Conditions.tags(call, "if-match"));
        Optional<String> marker = delete(call, call.authorization(), target);
        SortedMap<String, String> headers = new TreeMap<>();
        target.versionId().ifPresent(id -> headers.put("x-amz-version-id", id));
        marker.ifPresent(id -> {
            headers.put("x-amz-delete-marker", "true");
            headers.put("x-amz-version-id", id);
        });
        call.respond(204, headers);
    }

    /** Deletes all that the document names. */
    public static void deleteMany(Call call) {
        Authorization authorization = call.authorization();
        if (call.person().isEmpty()) {
            // Nobody without rights may make this gateway wait for a document: the rules may have been remembered.
            var _ = call.settings().document(call.bucket(), SettingName.ACCESS);
        }
        XmlElement root = call.document("Delete");
        root.allowOnly("Object", "Quiet");
        List<Target> targets = new ArrayList<>();
        for (XmlElement object : root.all("Object")) {
            if (object.child("LastModifiedTime").isPresent()
                    || object.child("Size").isPresent()) {
                throw ErrorCode.NOT_IMPLEMENTED.because("A deletion has no other condition than ETag here.");
            }
            object.allowOnly("Key", "VersionId", "ETag");
            targets.add(new Target(
                    object.required("Key").text(),
                    object.textOf("VersionId").filter(id -> !id.isEmpty()),
                    object.textOf("ETag").filter(tag -> !tag.isEmpty())));
        }
        if (targets.isEmpty() || targets.size() > KEYS_MAX) {
            throw XmlElement.malformed("it names 1 to " + KEYS_MAX + " objects");
        }
        boolean quiet = root.textOf("Quiet").filter("true"::equals).isPresent();
        XmlWriter out = new XmlWriter("DeleteResult");
        for (Deleted deleted : Parallel.map(targets, target -> attempt(call, authorization, target))) {
            write(out, deleted, quiet);
        }
        call.respond(out.toBytes());
    }

    private static Deleted attempt(Call call, Authorization authorization, Target target) {
        try {
            return new Deleted(target, delete(call, authorization, target), Optional.empty());
        } catch (RuntimeException e) {
            return new Deleted(
                    target, Optional.empty(), Optional.of(SdkFailures.of(e).orElseThrow(() -> e)));
        }
    }

    /** Deletes, and returns the ID of the delete marker that was made or removed. */
    private static Optional<String> delete(Call call, Authorization authorization, Target target) {
        String key = ObjectWrites.checkedKey(target.key());
        Authorization ofVersion = authorization.ofVersion(target.versionId());
        ofVersion.require(target.versionId().isPresent() ? Action.DELETE_OBJECT_VERSION : Action.DELETE_OBJECT, key);
        boolean bypass = call.header("x-amz-bypass-governance-retention")
                .filter("true"::equalsIgnoreCase)
                .isPresent();
        if (bypass) {
            ofVersion.require(Action.BYPASS_GOVERNANCE_RETENTION, key);
        }
        DeleteOptions options = DeleteOptions.DEFAULT.withVersion(VersionIds.parse(target.versionId()));
        options = bypass ? options.bypassingGovernance() : options.evenIfAbsent();
        if (target.entityTag().isPresent()) {
            options = options.withPrecondition(Conditions.ofDelete(
                    call.bucket(), key, options.version(), target.entityTag().get()));
        }
        try {
            DeletedObject deleted = call.bucket().delete(key, options);
            return deleted.marker()
                    ? Optional.of(VersionIds.of(deleted.version(), deleted.isNull()))
                    : Optional.empty();
        } catch (NoSuchKeyException _) {
            return Optional.empty();
        }
    }

    private static void write(XmlWriter out, Deleted deleted, boolean quiet) {
        Target target = deleted.target();
        if (deleted.refusal().isPresent()) {
            out.begin("Error")
                    .element("Key", target.key())
                    .optional("VersionId", target.versionId())
                    .element("Code", deleted.refusal().get().code())
                    .element("Message", String.valueOf(deleted.refusal().get().getMessage()))
                    .end();
        } else if (!quiet) {
            out.begin("Deleted").element("Key", target.key()).optional("VersionId", target.versionId());
            if (deleted.marker().isPresent()) {
                out.element("DeleteMarker", true).optional("DeleteMarkerVersionId", deleted.marker());
            }
            out.end();
        }
    }
}
