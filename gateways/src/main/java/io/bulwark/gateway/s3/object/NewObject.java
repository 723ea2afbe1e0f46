package io.bulwark.gateway.s3.object;

import io.bulwark.client.PutOptions;
import io.bulwark.gateway.s3.acl.AccessControlList;
import io.bulwark.gateway.s3.acl.AclRequest;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.permission.Authorization;
import io.bulwark.gateway.s3.permission.ObjectAccess;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.Exchange;
import io.bulwark.gateway.s3.setting.BucketRules;
import io.bulwark.gateway.s3.setting.Ownership;
import io.bulwark.protocol.object.ObjectAttributes;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Attributes of an object to be, as the headers of a request say.
 *
 * @param tags of the user, and the access control list
 * @param properties headers, metadata of the user and the owner
 */
public record NewObject(String contentType, SortedMap<String, String> tags, SortedMap<String, String> properties) {
    /** As S3 bounds the metadata of the user. */
    private static final int META_BYTES_MAX = 2 << 10;

    /** Reads the headers; refuses those that ask for what is not done here, or that the sender may not set. */
    public static NewObject of(Call call) {
        Exchange exchange = call.exchange();
        refuseEncryption(exchange);
        call.header("x-amz-storage-class")
                .filter(name -> !name.equals("STANDARD"))
                .ifPresent(_ -> {
                    throw ErrorCode.INVALID_STORAGE_CLASS.because("The only storage class here is STANDARD.");
                });
        if (exchange.header("x-amz-write-offset-bytes").isPresent()) {
            throw ErrorCode.NOT_IMPLEMENTED.because("Objects are not appended to here.");
        }
        if (exchange.header("x-amz-website-redirect-location").isPresent()) {
            throw ErrorCode.NOT_IMPLEMENTED.because("Buckets are no web sites here.");
        }
        SortedMap<String, String> tags = new TreeMap<>(
                exchange.header("x-amz-tagging").map(Tags::ofHeader).orElseGet(TreeMap::new));
        requireTagging(call, tags);
        SortedMap<String, String> properties = headers(call);
        addAccess(call, tags, properties);
        return new NewObject(
                printable("content-type", exchange.header("content-type").orElse("")), tags, properties);
    }

    /** Refuses tags of the new object that its maker could not set later: a policy may deny that alone. */
    static void requireTagging(Call call, SortedMap<String, String> tags) {
        if (!tags.isEmpty()) {
            require(call, Action.PUT_OBJECT_TAGGING);
        }
    }

    /** Refuses an action on the new object, as its owner could not do it afterwards either. */
    static void require(Call call, Action action) {
        boolean enforced = call.rules().ownership() == Ownership.BUCKET_OWNER_ENFORCED;
        call.authorization()
                .requireOfMaker(action, call.key(), enforced ? call.rules().owner() : call.sender());
    }

    /** Refuses encryption by servers: none is done, and keys of requests go nowhere. */
    public static void refuseEncryption(Exchange exchange) {
        for (String name : exchange.headerNames()) {
            if (name.startsWith("x-amz-server-side-encryption")
                    || name.startsWith("x-amz-copy-source-server-side-encryption")) {
                throw ErrorCode.NOT_IMPLEMENTED.because(
                        "Servers do not encrypt objects here; encrypt in the client instead.");
            }
        }
    }

    /** Returns the headers that are kept with an object. */
    static SortedMap<String, String> headers(Call call) {
        SortedMap<String, String> properties = new TreeMap<>();
        int bytes = 0;
        for (String name : call.exchange().headerNames()) {
            if (name.startsWith(Properties.META)) {
                String value = String.join(",", call.exchange().headers(name));
                bytes += name.length() - Properties.META.length() + value.getBytes(StandardCharsets.UTF_8).length;
                properties.put(name, printable(name, value));
            } else if (Properties.HTTP.contains(name)) {
                call.header(name)
                        .map(NewObject::withoutFraming)
                        .filter(value -> !value.isEmpty())
                        .ifPresent(value -> properties.put(name, printable(name, value)));
            }
        }
        if (bytes > META_BYTES_MAX) {
            throw ErrorCode.METADATA_TOO_LARGE.because(
                    "Your metadata headers exceed the maximum allowed metadata size");
        }
        return properties;
    }

    /** Fields of a form may have what no header can return. */
    private static String printable(String name, String value) {
        if (!Properties.isPrintable(value)) {
            throw ErrorCode.INVALID_ARGUMENT.because("The value of " + name + " has a control character.");
        }
        return value;
    }

    /** The encoding of the body's framing is none of the object. */
    private static String withoutFraming(String encoding) {
        return encoding.equals("aws-chunked") ? "" : encoding.replaceFirst("^aws-chunked\\s*,\\s*", "");
    }

    /** Adds owner and access control list, where they are not those that every object of the bucket has. */
    static void addAccess(Call call, SortedMap<String, String> tags, SortedMap<String, String> properties) {
        BucketRules rules = call.rules();
        boolean enforced = rules.ownership() == Ownership.BUCKET_OWNER_ENFORCED;
        Optional<String> canned = call.header("x-amz-acl");
        boolean givesAway = rules.ownership() == Ownership.BUCKET_OWNER_PREFERRED
                && canned.filter("bucket-owner-full-control"::equals).isPresent();
        String owner = enforced || givesAway ? rules.owner() : call.sender();
        Optional<AccessControlList> acl = AclRequest.fromHeaders(call.exchange(), owner, rules.owner());
        if (enforced) {
            if (acl.isPresent()
                    && canned.filter("bucket-owner-full-control"::equals).isEmpty()
                    && canned.filter("private"::equals).isEmpty()) {
                throw ErrorCode.ACCESS_CONTROL_LIST_NOT_SUPPORTED.because("The bucket does not allow ACLs");
            }
            return;
        }
        if (acl.isPresent()) {
            require(call, Action.PUT_OBJECT_ACL);
        }
        if (acl.filter(AccessControlList::isPublic).isPresent() && rules.block().blockPublicAcls()) {
            throw Authorization.denied();
        }
        if (!owner.equals(rules.owner())) {
            properties.put(ObjectAccess.OWNER, owner);
        }
        acl.filter(list -> !list.equals(AccessControlList.ownedBy(owner)))
                .ifPresent(list -> tags.put(ObjectAccess.ACL, list.toText()));
    }

    /** Returns the options of a put. */
    public PutOptions options() {
        return PutOptions.DEFAULT.withContentType(contentType).withAllTags(tags).withProperties(properties);
    }

    /** Returns the attributes, with more properties. */
    public ObjectAttributes attributes(SortedMap<String, String> more) {
        SortedMap<String, String> all = new TreeMap<>(more);
        all.putAll(properties);
        return new ObjectAttributes(contentType, tags, all);
    }
}
