package io.bulwark.gateway.s3.permission;

import io.bulwark.gateway.s3.access.AccessKey;
import io.bulwark.gateway.s3.acl.AccessControlList;
import io.bulwark.gateway.s3.acl.Permission;
import io.bulwark.gateway.s3.policy.BucketPolicy;
import io.bulwark.gateway.s3.policy.BucketPolicy.Verdict;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.Exchange;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.setting.BucketRules;
import io.bulwark.gateway.s3.setting.Ownership;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Map;
import java.util.Optional;

/**
 * Judges actions of one request on one bucket. In this order: the limits of the access key; the policy, of which a
 * denial is final and a permission suffices; then the access control list of the bucket or object. The replicas judge
 * afterwards by the person's rights, so that these rules narrow the rights and never widen them.
 *
 * <p>Buckets that were not made with S3 have no access control list: there the rights of Bulwark count alone, unless a
 * policy denies.
 */
public final class Authorization {
    private final Exchange exchange;
    private final String bucket;
    private final BucketRules rules;
    private final Optional<PrincipalId> person;
    private final Optional<String> versionId;
    private final RequestTerms terms;

    public Authorization(Exchange exchange, String bucket, BucketRules rules) {
        this(exchange, bucket, rules, Optional.ofNullable(exchange.query().get("versionId")), RequestTerms.OF_HEADERS);
    }

    private Authorization(
            Exchange exchange, String bucket, BucketRules rules, Optional<String> versionId, RequestTerms terms) {
        this.exchange = exchange;
        this.bucket = bucket;
        this.rules = rules;
        this.versionId = versionId;
        this.terms = terms;
        this.person = exchange.caller().key().map(AccessKey::person);
    }

    /** Returns these rules for a version that the request names elsewhere than in its query. */
    public Authorization ofVersion(Optional<String> id) {
        return new Authorization(exchange, bucket, rules, id, terms);
    }

    /** Returns these rules for a request with these terms. */
    public Authorization withTerms(RequestTerms other) {
        return new Authorization(exchange, bucket, rules, versionId, other);
    }

    /** Refuses an action on the bucket as a whole that is not allowed. */
    public void require(Action action) {
        if (!mayOnBucket(action)) {
            throw denied();
        }
    }

    public boolean mayOnBucket(Action action) {
        // A key for a part of the bucket reads of the rest only that it is there.
        boolean inside = action.permission().equals(Optional.of(Permission.READ))
                ? exchange.caller().key().map(key -> key.isAllowed(bucket)).orElse(true)
                : isInside("");
        return inside && may(action, bucket, Map.of(), rules.acl(), rules.owner());
    }

    /** Refuses an action on the name of an object that is not allowed. */
    public void require(Action action, String key) {
        if (!mayOnKey(action, key)) {
            throw denied();
        }
    }

    public boolean mayOnKey(Action action, String key) {
        return isInside(key) && may(action, bucket + "/" + key, Map.of(), rules.acl(), rules.owner());
    }

    /** Refuses an action on an object that is not allowed. */
    public void require(Action action, String key, ObjectAccess object) {
        if (!isInside(key) || !may(action, bucket + "/" + key, object.tags(), object.acl(), object.owner())) {
            throw denied();
        }
    }

    /**
     * Refuses an action that is part of making an object, unless its owner may do it. Who makes an object without a signature
     * owns it, too.
     */
    public void requireOfMaker(Action action, String key, String owner) {
        Verdict verdict = judge(action, bucket + "/" + key, Map.of());
        boolean owns = exchange.caller().person().toString().equals(owner) || isPerson(rules.owner());
        if (verdict == Verdict.DENIED
                || (verdict == Verdict.SILENT && rules.access().isPresent() && !owns)) {
            throw denied();
        }
    }

    /** Returns the refusal for an object that is not there: who may not list must not learn that. */
    public S3Exception absent(String key, S3Exception refusal) {
        return mayOnBucket(Action.LIST_BUCKET) && isInside(key) ? refusal : denied();
    }

    /** Refuses a list of keys with this prefix if the access key reaches others only. */
    public void requirePrefix(String prefix) {
        if (!isInside(prefix)) {
            throw denied();
        }
    }

    public static S3Exception denied() {
        return ErrorCode.ACCESS_DENIED.because("Access Denied");
    }

    private boolean isInside(String key) {
        return exchange.caller().key().map(one -> one.isAllowed(bucket, key)).orElse(true);
    }

    private boolean may(Action action, String resource, Map<String, String> tags, AccessControlList acl, String owner) {
        Verdict verdict = judge(action, resource, tags);
        if (verdict == Verdict.DENIED) {
            return mayRepair(action);
        }
        return verdict == Verdict.ALLOWED || rules.access().isEmpty() || byAcl(action, acl, owner);
    }

    /**
     * Returns whether a policy cannot deny an action: whoever owns the bucket can always replace one that locks everybody
     * out. In buckets without an owner the replicas judge who may.
     */
    private boolean mayRepair(Action action) {
        boolean ownerless = rules.access().isEmpty() && person.isPresent();
        return switch (action) {
            case PUT_BUCKET_POLICY, DELETE_BUCKET_POLICY -> isPerson(rules.owner()) || ownerless;
            case GET_BUCKET_POLICY -> isPerson(rules.owner());
            default -> false;
        };
    }

    private Verdict judge(Action action, String resource, Map<String, String> tags) {
        Optional<BucketPolicy> policy = rules.policy();
        if (policy.isEmpty()) {
            return Verdict.SILENT;
        }
        Verdict verdict = policy.get()
                .judge(person, action.policyName(), resource, new RequestFacts(exchange, tags, versionId, terms));
        boolean restricted =
                rules.block().restrictPublicBuckets() && policy.get().isPublic();
        return verdict == Verdict.ALLOWED && restricted && !isPerson(rules.owner()) ? Verdict.SILENT : verdict;
    }

    private boolean byAcl(Action action, AccessControlList acl, String owner) {
        Optional<Permission> wanted = action.permission();
        if (wanted.isEmpty()) {
            return isPerson(owner) || isPerson(rules.owner());
        }
        if (rules.ownership() == Ownership.BUCKET_OWNER_ENFORCED) {
            return isPerson(rules.owner());
        }
        boolean aboutList = wanted.get() == Permission.READ_ACP || wanted.get() == Permission.WRITE_ACP;
        AccessControlList counting = rules.block().ignorePublicAcls() ? acl.withoutGroups() : acl;
        return (aboutList && isPerson(owner)) || counting.allows(person, wanted.get());
    }

    private boolean isPerson(String id) {
        return person.map(PrincipalId::toString).filter(id::equals).isPresent();
    }
}
