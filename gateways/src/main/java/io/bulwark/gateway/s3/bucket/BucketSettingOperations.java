package io.bulwark.gateway.s3.bucket;

import io.bulwark.client.BucketInfo;
import io.bulwark.gateway.s3.acl.AccessControlList;
import io.bulwark.gateway.s3.acl.AclRequest;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.cors.CorsRules;
import io.bulwark.gateway.s3.lifecycle.LifecycleRules;
import io.bulwark.gateway.s3.notification.NotificationRules;
import io.bulwark.gateway.s3.object.Locks;
import io.bulwark.gateway.s3.object.Tags;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.permission.Authorization;
import io.bulwark.gateway.s3.policy.BucketPolicy;
import io.bulwark.gateway.s3.policy.PolicyReader;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.setting.AccessRules;
import io.bulwark.gateway.s3.setting.BucketRules;
import io.bulwark.gateway.s3.setting.Ownership;
import io.bulwark.gateway.s3.setting.PublicAccessBlock;
import io.bulwark.gateway.s3.setting.SettingName;
import io.bulwark.gateway.s3.xml.XmlElement;
import io.bulwark.gateway.s3.xml.XmlWriter;
import io.bulwark.protocol.metadata.BucketChange;
import io.bulwark.protocol.metadata.DefaultRetention;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.object.Retention;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Reads and changes the settings of buckets. */
public final class BucketSettingOperations {
    private static final int DOCUMENT_MAX = 256 << 10;

    /** Settings are documents of this size at most. */
    private static final int SETTING_MAX = 32 << 10;

    private BucketSettingOperations() {}

    /** Answers with the state of versioning. */
    public static void getVersioning(Call call) {
        call.authorization().require(Action.GET_BUCKET_VERSIONING);
        XmlWriter out = new XmlWriter("VersioningConfiguration");
        switch (call.bucket().info().versioning()) {
            case LATEST_ONLY -> {}
            case KEEP_ALL -> out.element("Status", "Enabled");
            case SUSPENDED -> out.element("Status", "Suspended");
        }
        call.respond(out.toBytes());
    }

    /** Enables or suspends versioning. */
    public static void putVersioning(Call call) {
        call.authorization().require(Action.PUT_BUCKET_VERSIONING);
        XmlElement root = call.document("VersioningConfiguration");
        root.allowOnly("Status", "MfaDelete");
        if (root.textOf("MfaDelete").filter(state -> !state.equals("Disabled")).isPresent()) {
            throw ErrorCode.NOT_IMPLEMENTED.because("There is no deletion with a second factor here.");
        }
        Versioning next = switch (root.textOf("Status").orElse("")) {
            case "Enabled" -> Versioning.KEEP_ALL;
            case "Suspended" -> Versioning.SUSPENDED;
            default -> throw XmlElement.malformed("a status is Enabled or Suspended");
        };
        if (next == Versioning.SUSPENDED && call.bucket().info().settings().objectLock()) {
            throw ErrorCode.INVALID_BUCKET_STATE.because(
                    "An Object Lock configuration is present on this bucket, so the versioning state cannot be"
                            + " changed.");
        }
        call.bucket().update(BucketChange.NONE.withVersioning(next));
        call.respond(200);
    }

    /** Answers with the default retention. */
    public static void getObjectLock(Call call) {
        call.authorization().require(Action.GET_BUCKET_OBJECT_LOCK_CONFIGURATION);
        BucketInfo info = call.bucket().info();
        if (!info.settings().objectLock()) {
            throw ErrorCode.OBJECT_LOCK_CONFIGURATION_NOT_FOUND.because(
                    "Object Lock configuration does not exist for this bucket");
        }
        XmlWriter out = new XmlWriter("ObjectLockConfiguration").element("ObjectLockEnabled", "Enabled");
        DefaultRetention retention = info.settings().retention();
        if (retention.mode() != Retention.Mode.NONE) {
            out.begin("Rule")
                    .begin("DefaultRetention")
                    .element("Mode", retention.mode().name())
                    .element(retention.years() ? "Years" : "Days", retention.count())
                    .end()
                    .end();
        }
        call.respond(out.toBytes());
    }

    /** Sets the default retention, and switches object lock on where versions are kept. */
    public static void putObjectLock(Call call) {
        call.authorization().require(Action.PUT_BUCKET_OBJECT_LOCK_CONFIGURATION);
        XmlElement root = call.document("ObjectLockConfiguration");
        root.allowOnly("ObjectLockEnabled", "Rule");
        if (root.textOf("ObjectLockEnabled").filter("Enabled"::equals).isEmpty()) {
            throw XmlElement.malformed("ObjectLockEnabled is not Enabled");
        }
        DefaultRetention retention = root.child("Rule")
                .map(rule -> retention(rule.required("DefaultRetention")))
                .orElse(DefaultRetention.NONE);
        if (call.bucket().info().versioning() != Versioning.KEEP_ALL) {
            throw ErrorCode.INVALID_BUCKET_STATE.because(
                    "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration");
        }
        call.bucket().update(BucketChange.NONE.withObjectLock().withRetention(retention));
        call.respond(200);
    }

    private static DefaultRetention retention(XmlElement element) {
        element.allowOnly("Mode", "Days", "Years");
        Retention.Mode mode = element.textOf("Mode")
                .flatMap(Locks::mode)
                .orElseThrow(() -> XmlElement.malformed("a mode is GOVERNANCE or COMPLIANCE"));
        Optional<String> days = element.textOf("Days");
        Optional<String> years = element.textOf("Years");
        if (days.isPresent() == years.isPresent()) {
            throw XmlElement.malformed("a retention has days or years");
        }
        String text = days.or(() -> years).orElse("");
        if (!text.matches("-?[0-9]{1,9}")) {
            throw XmlElement.malformed("a period is no number");
        }
        int count = Integer.parseInt(text);
        try {
            return new DefaultRetention(mode, count, years.isPresent());
        } catch (IllegalArgumentException _) {
            throw ErrorCode.INVALID_RETENTION_PERIOD.because(
                    "Default retention period must be a positive integer value, and at most 100 years");
        }
    }

    /** Answers with the access control list. */
    public static void getAcl(Call call) {
        call.authorization().require(Action.GET_BUCKET_ACL);
        call.respond(AclRequest.document(call.rules().owner(), call.rules().acl()));
    }

    /** Replaces the access control list. */
    public static void putAcl(Call call) {
        call.authorization().require(Action.PUT_BUCKET_ACL);
        byte[] body = call.body(DOCUMENT_MAX);
        String owner = call.rules().owner();
        AccessControlList list = AclRequest.of(call.exchange(), body, owner, owner);
        if (call.rules().ownership() == Ownership.BUCKET_OWNER_ENFORCED) {
            throw ErrorCode.ACCESS_CONTROL_LIST_NOT_SUPPORTED.because("The bucket does not allow ACLs");
        }
        if (list.isPublic() && call.rules().block().blockPublicAcls()) {
            throw Authorization.denied();
        }
        changeAccess(call, rules -> rules.withAcl(list));
        call.respond(200);
    }

    /** Answers with the policy. */
    public static void getPolicy(Call call) {
        call.authorization().require(Action.GET_BUCKET_POLICY);
        byte[] policy = call.settings()
                .document(call.bucket(), SettingName.POLICY)
                .orElseThrow(() -> ErrorCode.NO_SUCH_BUCKET_POLICY.because("The bucket policy does not exist"));
        try (OutputStream out = call.exchange()
                .respond(
                        200,
                        new TreeMap<>(Map.of("content-type", "application/json")),
                        OptionalLong.of(policy.length))) {
            out.write(policy);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Replaces the policy. */
    public static void putPolicy(Call call) {
        call.authorization().require(Action.PUT_BUCKET_POLICY);
        byte[] body = call.body(PolicyReader.BYTES_MAX);
        BucketPolicy policy = PolicyReader.read(body, call.bucketName(), Action.names());
        if (policy.isPublic() && call.rules().block().blockPublicPolicy()) {
            throw Authorization.denied();
        }
        call.settings().put(call.bucket(), SettingName.POLICY, body);
        call.respond(204);
    }

    /** Removes the policy. */
    public static void deletePolicy(Call call) {
        call.authorization().require(Action.DELETE_BUCKET_POLICY);
        call.settings().remove(call.bucket(), SettingName.POLICY);
        call.respond(204);
    }

    /** Answers whether the bucket is public. */
    public static void getPolicyStatus(Call call) {
        call.authorization().require(Action.GET_BUCKET_POLICY_STATUS);
        BucketRules rules = call.rules();
        boolean byPolicy = rules.policy().filter(BucketPolicy::isPublic).isPresent();
        boolean byAcl = rules.acl().isPublic() && !rules.block().ignorePublicAcls();
        call.respond(new XmlWriter("PolicyStatus")
                .element("IsPublic", byPolicy || byAcl)
                .toBytes());
    }

    /** Answers with the rules for other origins. */
    public static void getCors(Call call) {
        call.authorization().require(Action.GET_BUCKET_CORS);
        call.respond(call.settings()
                .document(call.bucket(), SettingName.CORS)
                .orElseThrow(
                        () -> ErrorCode.NO_SUCH_CORS_CONFIGURATION.because("The CORS configuration does not exist")));
    }

    /** Replaces the rules for other origins. */
    public static void putCors(Call call) {
        call.authorization().require(Action.PUT_BUCKET_CORS);
        CorsRules rules = CorsRules.read(call.body(DOCUMENT_MAX));
        call.settings().put(call.bucket(), SettingName.CORS, bounded(rules.toDocument()));
        call.respond(200);
    }

    /** Removes the rules for other origins. */
    public static void deleteCors(Call call) {
        call.authorization().require(Action.PUT_BUCKET_CORS);
        call.settings().remove(call.bucket(), SettingName.CORS);
        call.respond(204);
    }

    /** Answers with the rules that expire objects. */
    public static void getLifecycle(Call call) {
        call.authorization().require(Action.GET_LIFECYCLE_CONFIGURATION);
        call.respond(call.settings()
                .document(call.bucket(), SettingName.LIFECYCLE)
                .orElseThrow(() -> ErrorCode.NO_SUCH_LIFECYCLE_CONFIGURATION.because(
                        "The lifecycle configuration does not exist")));
    }

    /** Replaces the rules that expire objects. */
    public static void putLifecycle(Call call) {
        call.authorization().require(Action.PUT_LIFECYCLE_CONFIGURATION);
        LifecycleRules rules = LifecycleRules.read(call.body(DOCUMENT_MAX));
        call.settings().put(call.bucket(), SettingName.LIFECYCLE, bounded(rules.toDocument()));
        call.respond(200);
    }

    /** Removes the rules that expire objects. */
    public static void deleteLifecycle(Call call) {
        call.authorization().require(Action.PUT_LIFECYCLE_CONFIGURATION);
        call.settings().remove(call.bucket(), SettingName.LIFECYCLE);
        call.respond(204);
    }

    /** Answers with the tags of the bucket. */
    public static void getTags(Call call) {
        call.authorization().require(Action.GET_BUCKET_TAGGING);
        call.respond(call.settings()
                .document(call.bucket(), SettingName.TAGGING)
                .orElseThrow(() -> ErrorCode.NO_SUCH_TAG_SET.because("The TagSet does not exist")));
    }

    /** Replaces the tags of the bucket. */
    public static void putTags(Call call) {
        call.authorization().require(Action.PUT_BUCKET_TAGGING);
        byte[] tags = Tags.document(Tags.ofDocument(call.document("Tagging"), Tags.PER_BUCKET_MAX));
        call.settings().put(call.bucket(), SettingName.TAGGING, bounded(tags));
        call.respond(204);
    }

    /** Removes the tags of the bucket. */
    public static void deleteTags(Call call) {
        call.authorization().require(Action.PUT_BUCKET_TAGGING);
        call.settings().remove(call.bucket(), SettingName.TAGGING);
        call.respond(204);
    }

    /** Answers with the limits on public access. */
    public static void getPublicAccessBlock(Call call) {
        call.authorization().require(Action.GET_BUCKET_PUBLIC_ACCESS_BLOCK);
        PublicAccessBlock block = call.rules().block();
        call.respond(new XmlWriter("PublicAccessBlockConfiguration")
                .element("BlockPublicAcls", block.blockPublicAcls())
                .element("IgnorePublicAcls", block.ignorePublicAcls())
                .element("BlockPublicPolicy", block.blockPublicPolicy())
                .element("RestrictPublicBuckets", block.restrictPublicBuckets())
                .toBytes());
    }

    /** Replaces the limits on public access. */
    public static void putPublicAccessBlock(Call call) {
        call.authorization().require(Action.PUT_BUCKET_PUBLIC_ACCESS_BLOCK);
        XmlElement root = call.document("PublicAccessBlockConfiguration");
        root.allowOnly("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets");
        PublicAccessBlock block = new PublicAccessBlock(
                isTrue(root, "BlockPublicAcls"),
                isTrue(root, "IgnorePublicAcls"),
                isTrue(root, "BlockPublicPolicy"),
                isTrue(root, "RestrictPublicBuckets"));
        changeAccess(call, rules -> rules.withBlock(Optional.of(block)));
        call.respond(200);
    }

    /** Removes the limits on public access. */
    public static void deletePublicAccessBlock(Call call) {
        call.authorization().require(Action.PUT_BUCKET_PUBLIC_ACCESS_BLOCK);
        changeAccess(call, rules -> rules.withBlock(Optional.empty()));
        call.respond(204);
    }

    /** Answers with the rule about the owner of objects. */
    public static void getOwnership(Call call) {
        call.authorization().require(Action.GET_BUCKET_OWNERSHIP_CONTROLS);
        Ownership ownership = call.rules()
                .access()
                .flatMap(AccessRules::ownership)
                .orElseThrow(() ->
                        ErrorCode.OWNERSHIP_CONTROLS_NOT_FOUND.because("The bucket ownership controls were not found"));
        call.respond(new XmlWriter("OwnershipControls")
                .begin("Rule")
                .element("ObjectOwnership", ownership.text())
                .toBytes());
    }

    /** Replaces the rule about the owner of objects. */
    public static void putOwnership(Call call) {
        call.authorization().require(Action.PUT_BUCKET_OWNERSHIP_CONTROLS);
        XmlElement root = call.document("OwnershipControls");
        root.allowOnly("Rule");
        Ownership ownership = root.required("Rule")
                .textOf("ObjectOwnership")
                .flatMap(Ownership::of)
                .orElseThrow(() -> XmlElement.malformed("an ownership is unknown"));
        changeAccess(call, rules -> rules.withOwnership(Optional.of(ownership)));
        call.respond(200);
    }

    /** Removes the rule about the owner of objects. */
    public static void deleteOwnership(Call call) {
        call.authorization().require(Action.PUT_BUCKET_OWNERSHIP_CONTROLS);
        changeAccess(call, rules -> rules.withOwnership(Optional.empty()));
        call.respond(204);
    }

    /** Answers that no encryption by servers is configured, since they do none. */
    public static void getEncryption(Call call) {
        call.authorization().require(Action.GET_ENCRYPTION_CONFIGURATION);
        throw ErrorCode.ENCRYPTION_NOT_FOUND.because("The server side encryption configuration was not found");
    }

    /** Answers that there is no web site. */
    public static void getWebsite(Call call) {
        call.authorization().require(Action.GET_BUCKET_SETTING);
        throw ErrorCode.NO_SUCH_WEBSITE.because("The specified bucket does not have a website configuration");
    }

    /** Answers that there is no replication between buckets. */
    public static void getReplication(Call call) {
        call.authorization().require(Action.GET_BUCKET_SETTING);
        throw ErrorCode.REPLICATION_NOT_FOUND.because("The replication configuration was not found");
    }

    /** Answers with the events that a webhook hears of. */
    public static void getNotification(Call call) {
        call.authorization().require(Action.GET_BUCKET_SETTING);
        call.respond(call.settings()
                .document(call.bucket(), SettingName.NOTIFICATION)
                .orElseGet(() -> new XmlWriter("NotificationConfiguration").toBytes()));
    }

    /** Replaces the events that a webhook hears of. Without any, the bucket records none. */
    public static void putNotification(Call call) {
        call.authorization().require(Action.PUT_BUCKET_NOTIFICATION);
        NotificationRules rules = NotificationRules.read(call.body(DOCUMENT_MAX));
        if (rules.rules().isEmpty()) {
            call.settings().remove(call.bucket(), SettingName.NOTIFICATION);
        } else {
            if (call.door().webhooks().list().stream()
                    .noneMatch(webhook -> webhook.name().equals(rules.webhook()))) {
                throw NotificationRules.unknown(rules.webhook());
            }
            call.settings().put(call.bucket(), SettingName.NOTIFICATION, bounded(rules.toBytes()));
        }
        call.respond(200);
    }

    /** Answers that requests are not logged. */
    public static void getLogging(Call call) {
        call.authorization().require(Action.GET_BUCKET_SETTING);
        call.respond(new XmlWriter("BucketLoggingStatus").toBytes());
    }

    /** Answers that the owner pays. */
    public static void getRequestPayment(Call call) {
        call.authorization().require(Action.GET_BUCKET_SETTING);
        call.respond(new XmlWriter("RequestPaymentConfiguration")
                .element("Payer", "BucketOwner")
                .toBytes());
    }

    /** Answers that there is no acceleration. */
    public static void getAcceleration(Call call) {
        call.authorization().require(Action.GET_BUCKET_SETTING);
        call.respond(new XmlWriter("AccelerateConfiguration").toBytes());
    }

    /** Removes a setting that no bucket has. */
    public static void deleteNothing(Call call) {
        call.authorization().require(Action.GET_BUCKET_SETTING);
        call.respond(204);
    }

    /** Returns a document that fits into a setting. */
    static byte[] bounded(byte[] document) {
        if (document.length > SETTING_MAX) {
            throw ErrorCode.ENTITY_TOO_LARGE.because("The configuration has more than " + SETTING_MAX + " bytes.");
        }
        return document;
    }

    private static void changeAccess(Call call, UnaryOperator<AccessRules> change) {
        if (call.rules().access().isEmpty()) {
            throw ErrorCode.INVALID_REQUEST.because(
                    "The bucket was not made with S3, so that rights of Bulwark count.");
        }
        call.settings().changeAccess(call.bucket(), change);
    }

    private static boolean isTrue(XmlElement root, String name) {
        return root.textOf(name).filter("true"::equalsIgnoreCase).isPresent();
    }
}
