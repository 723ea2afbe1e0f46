package io.bulwark.gateway.s3.object;

import io.bulwark.client.ObjectInfo;
import io.bulwark.client.ReservedTags;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.gateway.s3.acl.AccessControlList;
import io.bulwark.gateway.s3.acl.AclRequest;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.call.VersionIds;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.permission.Authorization;
import io.bulwark.gateway.s3.permission.ObjectAccess;
import io.bulwark.gateway.s3.permission.RequestTerms;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.Times;
import io.bulwark.gateway.s3.setting.Ownership;
import io.bulwark.gateway.s3.xml.XmlElement;
import io.bulwark.gateway.s3.xml.XmlWriter;
import io.bulwark.protocol.object.Retention;
import java.time.Instant;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Changes the parts of a version that may change later: tags, access control list, retention and legal hold. */
public final class ObjectSettings {
    private static final int DOCUMENT_MAX = 256 << 10;
    private static final int ATTEMPTS_MAX = 10;

    private ObjectSettings() {}

    /** Answers with the tags. */
    public static void getTags(Call call) {
        ObjectInfo object = ObjectReads.find(call, Action.GET_OBJECT_TAGGING);
        call.respond(Tags.document(call.accessTo(object).tags()), versionHeader(object));
    }

    /** Replaces the tags. */
    public static void putTags(Call call) {
        SortedMap<String, String> tags = Tags.ofDocument(call.document("Tagging"), Tags.PER_OBJECT_MAX);
        call.judgeBy(RequestTerms.ofTags(tags));
        ObjectInfo object = ObjectReads.find(call, Action.PUT_OBJECT_TAGGING);
        setTags(call, object, tags);
        call.respond(200, versionHeader(object));
    }

    /** Removes the tags. */
    public static void deleteTags(Call call) {
        ObjectInfo object = ObjectReads.find(call, Action.DELETE_OBJECT_TAGGING);
        setTags(call, object, new TreeMap<>());
        call.respond(204, versionHeader(object));
    }

    private static void setTags(Call call, ObjectInfo object, SortedMap<String, String> tags) {
        change(call, object, all -> {
            all.keySet().removeIf(name -> !ReservedTags.isReserved(name));
            all.putAll(tags);
        });
    }

    /**
     * Changes some tags on top of what others change at the same time. The access control list is among them: it must not
     * come back with a change of other tags that began before it was replaced.
     */
    private static void change(Call call, ObjectInfo object, Consumer<SortedMap<String, String>> change) {
        SortedMap<String, String> before = object.tags();
        for (int attempt = 1; ; attempt++) {
            SortedMap<String, String> all = new TreeMap<>(before);
            change.accept(all);
            try {
                call.bucket().replaceTags(object.key(), object.version(), before, all);
                return;
            } catch (PreconditionFailedException e) {
                if (attempt == ATTEMPTS_MAX) {
                    throw e;
                }
                before = call.bucket()
                        .open(object.key(), object.version())
                        .info()
                        .tags();
            }
        }
    }

    /** Answers with the access control list. */
    public static void getAcl(Call call) {
        ObjectInfo object = ObjectReads.find(call, Action.GET_OBJECT_ACL);
        ObjectAccess access = call.accessTo(object);
        call.respond(AclRequest.document(access.owner(), access.acl()), versionHeader(object));
    }

    /** Replaces the access control list. */
    public static void putAcl(Call call) {
        ObjectInfo object = ObjectReads.find(call, Action.PUT_OBJECT_ACL);
        byte[] body = call.body(DOCUMENT_MAX);
        String owner = call.accessTo(object).owner();
        AccessControlList list =
                AclRequest.of(call.exchange(), body, owner, call.rules().owner());
        if (call.rules().ownership() == Ownership.BUCKET_OWNER_ENFORCED) {
            throw ErrorCode.ACCESS_CONTROL_LIST_NOT_SUPPORTED.because("The bucket does not allow ACLs");
        }
        if (list.isPublic() && call.rules().block().blockPublicAcls()) {
            throw Authorization.denied();
        }
        change(call, object, tags -> tags.put(ObjectAccess.ACL, list.toText()));
        call.respond(200, versionHeader(object));
    }

    /** Answers with the retention. */
    public static void getRetention(Call call) {
        ObjectInfo object = locked(call, Action.GET_OBJECT_RETENTION);
        Retention retention = object.lock().retention();
        if (retention.equals(Retention.NONE)) {
            throw ErrorCode.NO_SUCH_OBJECT_LOCK_CONFIGURATION.because(
                    "The specified object does not have a ObjectLock configuration");
        }
        call.respond(new XmlWriter("Retention")
                .element("Mode", retention.mode().name())
                .element("RetainUntilDate", Times.iso(Instant.ofEpochMilli(retention.untilMillis())))
                .toBytes());
    }

    /** Sets the retention. The replicas refuse what shortens it, unless it may be bypassed. */
    public static void putRetention(Call call) {
        XmlElement root = call.document("Retention");
        root.allowOnly("Mode", "RetainUntilDate");
        call.judgeBy(RequestTerms.ofRetention(root.textOf("Mode"), root.textOf("RetainUntilDate")));
        ObjectInfo object = locked(call, Action.PUT_OBJECT_RETENTION);
        Retention retention = Locks.ofDocument(root);
        boolean bypass = call.header("x-amz-bypass-governance-retention")
                .filter("true"::equalsIgnoreCase)
                .isPresent();
        if (bypass) {
            call.authorization().require(Action.BYPASS_GOVERNANCE_RETENTION, object.key());
        }
        call.bucket().setRetention(object.key(), object.version(), retention, bypass);
        call.respond(200);
    }

    /** Answers with the legal hold. */
    public static void getLegalHold(Call call) {
        ObjectInfo object = locked(call, Action.GET_OBJECT_LEGAL_HOLD);
        call.respond(new XmlWriter("LegalHold")
                .element("Status", object.lock().legalHold() ? "ON" : "OFF")
                .toBytes());
    }

    /** Sets or lifts the legal hold. */
    public static void putLegalHold(Call call) {
        XmlElement root = call.document("LegalHold");
        root.allowOnly("Status");
        String status = root.textOf("Status").orElse("");
        call.judgeBy(RequestTerms.ofLegalHold(status));
        ObjectInfo object = locked(call, Action.PUT_OBJECT_LEGAL_HOLD);
        boolean hold = Locks.isOn(status);
        call.bucket().setLegalHold(object.key(), object.version(), hold);
        call.respond(200);
    }

    private static ObjectInfo locked(Call call, Action action) {
        ObjectInfo object = ObjectReads.find(call, action);
        if (!call.bucket().info().settings().objectLock()) {
            throw Locks.notConfigured();
        }
        return object;
    }

    private static SortedMap<String, String> versionHeader(ObjectInfo object) {
        return object.isNull()
                ? new TreeMap<>()
                : new TreeMap<>(Map.of("x-amz-version-id", VersionIds.of(object.version(), false)));
    }
}
