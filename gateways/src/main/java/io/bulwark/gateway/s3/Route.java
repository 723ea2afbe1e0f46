package io.bulwark.gateway.s3;

import io.bulwark.gateway.s3.bucket.BucketSettingOperations;
import io.bulwark.gateway.s3.bucket.Buckets;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.listing.ObjectLists;
import io.bulwark.gateway.s3.listing.VersionLists;
import io.bulwark.gateway.s3.object.ObjectAttributesAnswer;
import io.bulwark.gateway.s3.object.ObjectDeletes;
import io.bulwark.gateway.s3.object.ObjectReads;
import io.bulwark.gateway.s3.object.ObjectSettings;
import io.bulwark.gateway.s3.object.ObjectWrites;
import io.bulwark.gateway.s3.object.PostedObject;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.Exchange;
import io.bulwark.gateway.s3.upload.CompletedParts;
import io.bulwark.gateway.s3.upload.MultipartUploads;
import io.bulwark.gateway.s3.upload.UploadLists;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * An operation, by the name that S3 has for it.
 *
 * @param handler answers the request
 */
record Route(String operation, Consumer<Call> handler) {
    /** Query parameters that choose an operation on a bucket. Those without a route get 501. */
    private static final Set<String> OF_BUCKETS = Set.of(
            "accelerate",
            "acl",
            "analytics",
            "cors",
            "delete",
            "encryption",
            "intelligent-tiering",
            "inventory",
            "lifecycle",
            "location",
            "logging",
            "metadataConfiguration",
            "metadataTable",
            "metrics",
            "notification",
            "object-lock",
            "ownershipControls",
            "policy",
            "policyStatus",
            "publicAccessBlock",
            "replication",
            "requestPayment",
            "session",
            "tagging",
            "uploads",
            "versioning",
            "versions",
            "website");

    private static final Set<String> OF_OBJECTS = Set.of(
            "acl",
            "attributes",
            "encryption",
            "legal-hold",
            "renameObject",
            "restore",
            "retention",
            "select",
            "tagging",
            "torrent",
            "uploadId",
            "uploads");

    private static final Map<String, Route> BUCKETS = Map.ofEntries(
            Map.entry("GET", new Route("ListObjects", Route::listObjects)),
            Map.entry("PUT", new Route("CreateBucket", Buckets::create)),
            Map.entry("HEAD", new Route("HeadBucket", Buckets::head)),
            Map.entry("DELETE", new Route("DeleteBucket", Buckets::delete)),
            Map.entry("POST", new Route("PostObject", PostedObject::post)),
            Map.entry("POST delete", new Route("DeleteObjects", ObjectDeletes::deleteMany)),
            Map.entry("GET versions", new Route("ListObjectVersions", VersionLists::list)),
            Map.entry("GET uploads", new Route("ListMultipartUploads", UploadLists::list)),
            Map.entry("GET location", new Route("GetBucketLocation", Buckets::location)),
            Map.entry("GET versioning", new Route("GetBucketVersioning", BucketSettingOperations::getVersioning)),
            Map.entry("PUT versioning", new Route("PutBucketVersioning", BucketSettingOperations::putVersioning)),
            Map.entry(
                    "GET object-lock", new Route("GetObjectLockConfiguration", BucketSettingOperations::getObjectLock)),
            Map.entry(
                    "PUT object-lock", new Route("PutObjectLockConfiguration", BucketSettingOperations::putObjectLock)),
            Map.entry("GET acl", new Route("GetBucketAcl", BucketSettingOperations::getAcl)),
            Map.entry("PUT acl", new Route("PutBucketAcl", BucketSettingOperations::putAcl)),
            Map.entry("GET policy", new Route("GetBucketPolicy", BucketSettingOperations::getPolicy)),
            Map.entry("PUT policy", new Route("PutBucketPolicy", BucketSettingOperations::putPolicy)),
            Map.entry("DELETE policy", new Route("DeleteBucketPolicy", BucketSettingOperations::deletePolicy)),
            Map.entry("GET policyStatus", new Route("GetBucketPolicyStatus", BucketSettingOperations::getPolicyStatus)),
            Map.entry("GET cors", new Route("GetBucketCors", BucketSettingOperations::getCors)),
            Map.entry("PUT cors", new Route("PutBucketCors", BucketSettingOperations::putCors)),
            Map.entry("DELETE cors", new Route("DeleteBucketCors", BucketSettingOperations::deleteCors)),
            Map.entry(
                    "GET lifecycle",
                    new Route("GetBucketLifecycleConfiguration", BucketSettingOperations::getLifecycle)),
            Map.entry(
                    "PUT lifecycle",
                    new Route("PutBucketLifecycleConfiguration", BucketSettingOperations::putLifecycle)),
            Map.entry("DELETE lifecycle", new Route("DeleteBucketLifecycle", BucketSettingOperations::deleteLifecycle)),
            Map.entry("GET tagging", new Route("GetBucketTagging", BucketSettingOperations::getTags)),
            Map.entry("PUT tagging", new Route("PutBucketTagging", BucketSettingOperations::putTags)),
            Map.entry("DELETE tagging", new Route("DeleteBucketTagging", BucketSettingOperations::deleteTags)),
            Map.entry(
                    "GET publicAccessBlock",
                    new Route("GetPublicAccessBlock", BucketSettingOperations::getPublicAccessBlock)),
            Map.entry(
                    "PUT publicAccessBlock",
                    new Route("PutPublicAccessBlock", BucketSettingOperations::putPublicAccessBlock)),
            Map.entry(
                    "DELETE publicAccessBlock",
                    new Route("DeletePublicAccessBlock", BucketSettingOperations::deletePublicAccessBlock)),
            Map.entry(
                    "GET ownershipControls",
                    new Route("GetBucketOwnershipControls", BucketSettingOperations::getOwnership)),
            Map.entry(
                    "PUT ownershipControls",
                    new Route("PutBucketOwnershipControls", BucketSettingOperations::putOwnership)),
            Map.entry(
                    "DELETE ownershipControls",
                    new Route("DeleteBucketOwnershipControls", BucketSettingOperations::deleteOwnership)),
            Map.entry("GET encryption", new Route("GetBucketEncryption", BucketSettingOperations::getEncryption)),
            Map.entry("DELETE encryption", new Route("DeleteBucketEncryption", BucketSettingOperations::deleteNothing)),
            Map.entry("GET website", new Route("GetBucketWebsite", BucketSettingOperations::getWebsite)),
            Map.entry("DELETE website", new Route("DeleteBucketWebsite", BucketSettingOperations::deleteNothing)),
            Map.entry("GET replication", new Route("GetBucketReplication", BucketSettingOperations::getReplication)),
            Map.entry(
                    "DELETE replication", new Route("DeleteBucketReplication", BucketSettingOperations::deleteNothing)),
            Map.entry(
                    "GET notification",
                    new Route("GetBucketNotificationConfiguration", BucketSettingOperations::getNotification)),
            Map.entry(
                    "PUT notification",
                    new Route("PutBucketNotificationConfiguration", BucketSettingOperations::putNotification)),
            Map.entry("GET logging", new Route("GetBucketLogging", BucketSettingOperations::getLogging)),
            Map.entry(
                    "GET requestPayment",
                    new Route("GetBucketRequestPayment", BucketSettingOperations::getRequestPayment)),
            Map.entry(
                    "GET accelerate",
                    new Route("GetBucketAccelerateConfiguration", BucketSettingOperations::getAcceleration)));

    private static final Map<String, Route> OBJECTS = Map.ofEntries(
            Map.entry("GET", new Route("GetObject", ObjectReads::get)),
            Map.entry("HEAD", new Route("HeadObject", ObjectReads::head)),
            Map.entry("PUT", new Route("PutObject", ObjectWrites::put)),
            Map.entry("DELETE", new Route("DeleteObject", ObjectDeletes::delete)),
            Map.entry("POST", new Route("PostObject", PostedObject::post)),
            Map.entry("GET attributes", new Route("GetObjectAttributes", ObjectAttributesAnswer::answer)),
            Map.entry("GET tagging", new Route("GetObjectTagging", ObjectSettings::getTags)),
            Map.entry("PUT tagging", new Route("PutObjectTagging", ObjectSettings::putTags)),
            Map.entry("DELETE tagging", new Route("DeleteObjectTagging", ObjectSettings::deleteTags)),
            Map.entry("GET acl", new Route("GetObjectAcl", ObjectSettings::getAcl)),
            Map.entry("PUT acl", new Route("PutObjectAcl", ObjectSettings::putAcl)),
            Map.entry("GET retention", new Route("GetObjectRetention", ObjectSettings::getRetention)),
            Map.entry("PUT retention", new Route("PutObjectRetention", ObjectSettings::putRetention)),
            Map.entry("GET legal-hold", new Route("GetObjectLegalHold", ObjectSettings::getLegalHold)),
            Map.entry("PUT legal-hold", new Route("PutObjectLegalHold", ObjectSettings::putLegalHold)),
            Map.entry("POST uploads", new Route("CreateMultipartUpload", MultipartUploads::begin)),
            Map.entry("PUT uploadId", new Route("UploadPart", MultipartUploads::putPart)),
            Map.entry("GET uploadId", new Route("ListParts", MultipartUploads::listParts)),
            Map.entry("POST uploadId", new Route("CompleteMultipartUpload", CompletedParts::complete)),
            Map.entry("DELETE uploadId", new Route("AbortMultipartUpload", MultipartUploads::abort)));

    private static final Route LIST_BUCKETS = new Route("ListBuckets", Buckets::list);
    private static final Route COPY = new Route("CopyObject", ObjectWrites::copy);
    private static final Route COPY_PART = new Route("UploadPartCopy", MultipartUploads::copyPart);

    /**
     * Returns the operation that a request asks for.
     *
     * @throws io.bulwark.gateway.s3.request.S3Exception if this gateway does not have it
     */
    static Route of(Exchange exchange) {
        String method = exchange.method();
        if (exchange.bucket().isEmpty()) {
            if (!method.equals("GET")) {
                throw ErrorCode.METHOD_NOT_ALLOWED.because(
                        "The specified method is not allowed against this resource.");
            }
            return LIST_BUCKETS;
        }
        boolean ofObject = exchange.key().isPresent() && exchange.form().isEmpty();
        Optional<String> choice = exchange.query().keySet().stream()
                .filter((ofObject ? OF_OBJECTS : OF_BUCKETS)::contains)
                .findFirst();
        String name = method + choice.map(text -> " " + text).orElse("");
        if (ofObject && name.equals("PUT") && exchange.query().containsKey("partNumber")) {
            throw ErrorCode.INVALID_ARGUMENT.because("A part is put with the uploadId of its upload.");
        }
        Route route = (ofObject ? OBJECTS : BUCKETS).get(name);
        if (route == null) {
            throw choice.isPresent()
                    ? ErrorCode.NOT_IMPLEMENTED.because("A header or query you provided implies functionality that is "
                            + "not implemented: " + choice.get())
                    : ErrorCode.METHOD_NOT_ALLOWED.because(
                            "The specified method is not allowed against this resource.");
        }
        if (ofObject
                && method.equals("PUT")
                && exchange.header("x-amz-copy-source").isPresent()) {
            return name.equals("PUT") ? COPY : name.equals("PUT uploadId") ? COPY_PART : route;
        }
        return route;
    }

    /** Returns the names of all operations, in their order. */
    static SortedSet<String> names() {
        SortedSet<String> names = new TreeSet<>(List.of("ListObjectsV2"));
        for (Map<String, Route> routes : List.of(BUCKETS, OBJECTS)) {
            routes.values().forEach(route -> names.add(route.operation()));
        }
        List.of(LIST_BUCKETS, COPY, COPY_PART).forEach(route -> names.add(route.operation()));
        return names;
    }

    private static void listObjects(Call call) {
        if (call.query("list-type").filter("2"::equals).isPresent()) {
            ObjectLists.listSecond(call);
        } else {
            ObjectLists.listFirst(call);
        }
    }
}
