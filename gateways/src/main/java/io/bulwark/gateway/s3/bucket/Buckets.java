package io.bulwark.gateway.s3.bucket;

import io.bulwark.client.Bucket;
import io.bulwark.client.BucketInfo;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Principals;
import io.bulwark.client.Upload;
import io.bulwark.client.UploadPage;
import io.bulwark.client.VersionListOptions;
import io.bulwark.client.error.AlreadyExistsException;
import io.bulwark.client.error.NoSuchBucketException;
import io.bulwark.client.error.NoSuchUploadException;
import io.bulwark.client.error.NotEmptyException;
import io.bulwark.gateway.s3.access.AccessKey;
import io.bulwark.gateway.s3.acl.AccessControlList;
import io.bulwark.gateway.s3.acl.AclRequest;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.call.Parallel;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.permission.Authorization;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.request.Times;
import io.bulwark.gateway.s3.setting.AccessRules;
import io.bulwark.gateway.s3.setting.BucketSettings;
import io.bulwark.gateway.s3.setting.Ownership;
import io.bulwark.gateway.s3.xml.XmlElement;
import io.bulwark.gateway.s3.xml.XmlReader;
import io.bulwark.gateway.s3.xml.XmlWriter;
import io.bulwark.protocol.metadata.Names;
import io.bulwark.protocol.metadata.Scope;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Makes, lists and deletes buckets. */
public final class Buckets {
    private static final int DOCUMENT_MAX = 64 << 10;
    private static final int PAGE_MAX = 10_000;
    private static final int UPLOADS_PER_PAGE = 1000;
    /** Region of a client's configuration. There is one place for all buckets, so that its name decides nothing. */
    private static final Pattern REGION = Pattern.compile("[A-Za-z0-9-]{0,63}");

    private static final Pattern ADDRESS = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");

    private Buckets() {}

    /** Answers with the buckets that the sender owns, and those not made with S3 that he may read. */
    public static void list(Call call) {
        String prefix = call.query("prefix").orElse("");
        String after = call.query("continuation-token").orElse("");
        int limit = call.number("max-buckets", PAGE_MAX, 1, PAGE_MAX);
        List<BucketInfo> found = call.person().isEmpty()
                ? List.of()
                : listed(
                        call,
                        call.door().buckets().stream()
                                .filter(bucket -> bucket.name().startsWith(prefix)
                                        && bucket.name().compareTo(after) > 0
                                        && isInside(call, bucket))
                                .toList());
        List<BucketInfo> page = found.subList(0, Math.min(limit, found.size()));
        String sender = call.sender();
        XmlWriter out = new XmlWriter("ListAllMyBucketsResult")
                .begin("Owner")
                .element("ID", sender)
                .element("DisplayName", sender)
                .end()
                .begin("Buckets");
        for (BucketInfo bucket : page) {
            out.begin("Bucket")
                    .element("Name", bucket.name())
                    .element("CreationDate", Times.iso(bucket.created()))
                    .end();
        }
        out.end();
        if (found.size() > limit) {
            out.element("ContinuationToken", page.getLast().name());
        }
        if (!prefix.isEmpty()) {
            out.element("Prefix", prefix);
        }
        call.respond(out.toBytes());
    }

    private static boolean isInside(Call call, BucketInfo bucket) {
        return call.exchange()
                .caller()
                .key()
                .map(key -> key.isAllowed(bucket.name()))
                .orElse(false);
    }

    /** Buckets that others have made with S3 are private as a rule, so that they are left out. */
    private static List<BucketInfo> listed(Call call, List<BucketInfo> all) {
        Predicate<BucketInfo> readable = readable(call);
        List<Boolean> listed = Parallel.map(
                all,
                bucket -> bucket.creator().toString().equals(call.sender())
                        || (readable.test(bucket) && call.settings().isShared(call.door(), bucket.name())));
        return IntStream.range(0, all.size())
                .filter(listed::get)
                .mapToObj(all::get)
                .toList();
    }

    /** Returns whether the sender's grants reach a bucket. Asking about each of all others would cost a query for it. */
    private static Predicate<BucketInfo> readable(Call call) {
        List<Scope> scopes = call
                .door()
                .principals()
                .grants(call.exchange().caller().person())
                .stream()
                .filter(grant -> grant.rights().read())
                .map(Principals.Grant::scope)
                .toList();
        return bucket -> scopes.stream().anyMatch(scope -> switch (scope) {
            case Scope.All _ -> true;
            case Scope.OfVolume volume -> volume.name().equals(bucket.volume());
            case Scope.OfBucket of -> of.name().equals(bucket.name());
        });
    }

    /** Makes a bucket, whose owner is the sender. */
    public static void create(Call call) {
        if (call.person().isEmpty()
                || !call.exchange()
                        .caller()
                        .key()
                        .map(AccessKey::limits)
                        .orElse(List.of())
                        .isEmpty()) {
            throw Authorization.denied();
        }
        String name = call.bucketName();
        checkName(name);
        byte[] body = call.body(DOCUMENT_MAX);
        if (body.length > 0) {
            checkConfiguration(XmlReader.read(new ByteArrayInputStream(body), "CreateBucketConfiguration"));
        }
        String owner = call.sender();
        AccessControlList acl =
                AclRequest.fromHeaders(call.exchange(), owner, owner).orElseGet(() -> AccessControlList.ownedBy(owner));
        Optional<Ownership> ownership = call.header("x-amz-object-ownership")
                .map(text -> Ownership.of(text)
                        .orElseThrow(
                                () -> ErrorCode.INVALID_ARGUMENT.because("Invalid x-amz-object-ownership header")));
        boolean plain = call.exchange().headerNames().stream()
                .noneMatch(header -> header.equals("x-amz-acl")
                        || header.startsWith("x-amz-grant-")
                        || header.startsWith("x-amz-bucket-object-lock")
                        || header.equals("x-amz-object-ownership"));
        AccessRules access = AccessRules.of(owner, acl).withOwnership(ownership);
        BucketSpec spec = BucketSettings.withAccess(BucketSpec.of(name), access);
        if (call.header("x-amz-bucket-object-lock-enabled")
                .filter("true"::equalsIgnoreCase)
                .isPresent()) {
            spec = spec.withObjectLock();
        }
        try {
            call.door().createBucket(spec);
        } catch (AlreadyExistsException _) {
            S3Exception refusal = exists(call, owner);
            // In the default region the owner may repeat the request, as one who did not get the answer does. A bucket
            // that was made elsewhere stays open to all its readers, so that success would mislead.
            if (!plain
                    || !refusal.code().equals(ErrorCode.BUCKET_ALREADY_OWNED_BY_YOU.code())
                    || !call.settings().isMadeWithS3(call.bucket())) {
                throw refusal;
            }
        }
        call.settings().forget(name);
        call.respond(200, new TreeMap<>(Map.of("location", "/" + name)));
    }

    private static S3Exception exists(Call call, String owner) {
        try {
            if (call.bucket().info().creator().toString().equals(owner)) {
                return ErrorCode.BUCKET_ALREADY_OWNED_BY_YOU.because(
                        "Your previous request to create the named bucket succeeded and you already own it.");
            }
        } catch (NoSuchBucketException _) {
            // It was deleted in between, or is not the sender's to see.
        }
        return ErrorCode.BUCKET_ALREADY_EXISTS.because("The requested bucket name is not available.");
    }

    /** Deletes an empty bucket. */
    public static void delete(Call call) {
        call.authorization().require(Action.DELETE_BUCKET);
        try {
            call.door().deleteBucket(call.bucketName());
        } catch (NotEmptyException e) {
            // Uploads that were never completed do not keep a bucket of S3.
            if (!call.bucket()
                    .listVersions(VersionListOptions.DEFAULT.withLimit(1))
                    .versions()
                    .isEmpty()) {
                throw e;
            }
            abortUploads(call.bucket());
            call.door().deleteBucket(call.bucketName());
        }
        call.settings().forget(call.bucketName());
        call.respond(204);
    }

    private static void abortUploads(Bucket bucket) {
        UploadPage page;
        do {
            page = bucket.uploads().list("", "", 0, UPLOADS_PER_PAGE);
            for (Upload upload : page.uploads()) {
                try {
                    bucket.uploads().abort(upload);
                } catch (NoSuchUploadException _) {
                    // Somebody else was faster.
                }
            }
        } while (page.more() && !page.uploads().isEmpty());
    }

    /** Answers whether there is such a bucket. */
    public static void head(Call call) {
        call.authorization().require(Action.LIST_BUCKET);
        call.respond(200, new TreeMap<>(Map.of("x-amz-bucket-region", "us-east-1")));
    }

    /** Answers with the region. All buckets are in the default one, which has no name. */
    public static void location(Call call) {
        call.authorization().require(Action.GET_BUCKET_LOCATION);
        call.respond(new XmlWriter("LocationConstraint").toBytes());
    }

    private static void checkConfiguration(XmlElement root) {
        root.allowOnly("LocationConstraint", "Tags", "Location", "Bucket");
        Optional<String> location = root.textOf("LocationConstraint");
        if (location.filter(region -> !REGION.matcher(region).matches()).isPresent()) {
            throw ErrorCode.ILLEGAL_LOCATION_CONSTRAINT.because("The specified location-constraint is not valid");
        }
        if (root.children().size() > root.all("LocationConstraint").size()) {
            throw ErrorCode.NOT_IMPLEMENTED.because("A new bucket takes a location only.");
        }
    }

    /** The rules of S3 are ours, with a few more. */
    private static void checkName(String name) {
        if (Names.problemOfName(name).isPresent()
                || ADDRESS.matcher(name).matches()
                || name.contains("-.")
                || name.startsWith("xn--")
                || name.endsWith("-s3alias")) {
            throw ErrorCode.INVALID_BUCKET_NAME.because("The specified bucket is not valid.");
        }
    }
}
