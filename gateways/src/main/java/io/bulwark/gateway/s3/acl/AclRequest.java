package io.bulwark.gateway.s3.acl;

import io.bulwark.gateway.s3.acl.AccessControlList.Grant;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.Exchange;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.xml.XmlElement;
import io.bulwark.gateway.s3.xml.XmlReader;
import io.bulwark.gateway.s3.xml.XmlWriter;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Access control lists as requests and responses have them: canned, in headers, and as documents. */
public final class AclRequest {
    private static final String ROOT = "AccessControlPolicy";

    private AclRequest() {}

    /** Returns the list that a request sets with headers or with a document. */
    public static AccessControlList of(Exchange exchange, byte[] body, String owner, String bucketOwner) {
        Optional<AccessControlList> named = fromHeaders(exchange, owner, bucketOwner);
        if (named.isPresent() && body.length > 0) {
            throw ErrorCode.INVALID_REQUEST.because("Name an ACL in headers or in a document, not both.");
        }
        return named.orElseGet(() -> fromDocument(body, owner));
    }

    /**
     * Returns the list that the headers of a request ask for; empty if there is no such header.
     *
     * @param owner of the bucket or object
     * @param bucketOwner of the bucket around it
     */
    public static Optional<AccessControlList> fromHeaders(Exchange exchange, String owner, String bucketOwner) {
        Optional<String> canned = exchange.header("x-amz-acl");
        List<Grant> grants = new ArrayList<>();
        boolean explicit = false;
        for (Permission permission : Permission.values()) {
            for (String value : exchange.headers(permission.header())) {
                explicit = true;
                for (String grantee : value.split(",", -1)) {
                    grants.add(new Grant(grantee(grantee.strip()), permission));
                }
            }
        }
        if (canned.isPresent() && explicit) {
            throw ErrorCode.INVALID_REQUEST.because("Name a canned ACL or grants, not both.");
        }
        if (explicit) {
            return Optional.of(checked(grants));
        }
        return canned.map(name -> canned(name, owner, bucketOwner));
    }

    /** Returns the list of one of the names that S3 has for common lists. */
    static AccessControlList canned(String name, String owner, String bucketOwner) {
        Grant all = new Grant(new Grantee(owner), Permission.FULL_CONTROL);
        Grant publicRead = new Grant(Grantee.ALL_USERS, Permission.READ);
        Grantee bucket = new Grantee(bucketOwner);
        List<Grant> grants = switch (name) {
            case "private" -> List.of(all);
            case "public-read" -> List.of(publicRead, all);
            case "public-read-write" -> List.of(publicRead, new Grant(Grantee.ALL_USERS, Permission.WRITE), all);
            case "authenticated-read" -> List.of(new Grant(Grantee.AUTHENTICATED_USERS, Permission.READ), all);
            case "bucket-owner-read" ->
                owner.equals(bucketOwner) ? List.of(all) : List.of(all, new Grant(bucket, Permission.READ));
            case "bucket-owner-full-control" ->
                owner.equals(bucketOwner) ? List.of(all) : List.of(all, new Grant(bucket, Permission.FULL_CONTROL));
            case "aws-exec-read", "log-delivery-write" ->
                throw ErrorCode.NOT_IMPLEMENTED.because("The canned ACL " + name + " is not supported.");
            default -> throw ErrorCode.INVALID_ARGUMENT.because("There is no canned ACL of this name.");
        };
        return new AccessControlList(grants);
    }

    /**
     * Reads the document of a request.
     *
     * @param owner who must be named as owner, since ownership cannot be given away
     */
    static AccessControlList fromDocument(byte[] body, String owner) {
        XmlElement root = XmlReader.read(new ByteArrayInputStream(body), ROOT);
        Optional<String> named = root.child("Owner").flatMap(element -> element.textOf("ID"));
        if (named.isPresent() && !named.get().equals(owner)) {
            throw ErrorCode.ACCESS_DENIED.because("An ACL cannot change the owner.");
        }
        List<Grant> grants = new ArrayList<>();
        for (XmlElement grant :
                root.child("AccessControlList").map(list -> list.all("Grant")).orElse(List.of())) {
            Permission permission = grant.textOf("Permission")
                    .flatMap(Permission::of)
                    .orElseThrow(() -> malformed("a grant has an unknown permission"));
            grants.add(new Grant(grantee(grant.required("Grantee")), permission));
        }
        return checked(grants);
    }

    /** Writes the document of a response. */
    public static byte[] document(String owner, AccessControlList list) {
        XmlWriter out = new XmlWriter(ROOT);
        out.begin("Owner").element("ID", owner).element("DisplayName", owner).end();
        out.begin("AccessControlList");
        for (Grant grant : list.grants()) {
            out.begin("Grant");
            Grantee grantee = grant.grantee();
            if (grantee.isGroup()) {
                out.beginTyped("Grantee", "Group").element("URI", grantee.id()).end();
            } else {
                out.beginTyped("Grantee", "CanonicalUser")
                        .element("ID", grantee.id())
                        .element("DisplayName", grantee.id())
                        .end();
            }
            out.element("Permission", grant.permission().name()).end();
        }
        return out.toBytes();
    }

    private static AccessControlList checked(List<Grant> grants) {
        if (grants.size() > AccessControlList.GRANTS_MAX) {
            throw malformed("it has more than " + AccessControlList.GRANTS_MAX + " grants");
        }
        return new AccessControlList(grants);
    }

    private static Grantee grantee(XmlElement element) {
        if (element.child("EmailAddress").isPresent()) {
            throw unknownAddress();
        }
        Optional<String> group = element.textOf("URI");
        if (group.isPresent()) {
            return group(group.get());
        }
        return person(element.textOf("ID").orElseThrow(() -> malformed("a grantee has no ID")));
    }

    /** Reads {@code id="client-5"} or {@code uri="..."}. */
    private static Grantee grantee(String header) {
        int equals = header.indexOf('=');
        if (equals < 0) {
            throw ErrorCode.INVALID_ARGUMENT.because("A grantee has the form id=\"...\" or uri=\"...\".");
        }
        String value = header.substring(equals + 1).strip();
        if (value.length() >= 2 && value.startsWith("\"") && value.endsWith("\"")) {
            value = value.substring(1, value.length() - 1);
        }
        return switch (header.substring(0, equals).strip()) {
            case "id" -> person(value);
            case "uri" -> group(value);
            case "emailAddress" -> throw unknownAddress();
            default -> throw ErrorCode.INVALID_ARGUMENT.because("A grantee has the form id=\"...\" or uri=\"...\".");
        };
    }

    private static Grantee person(String id) {
        return Grantee.ofPerson(id)
                .orElseThrow(() -> ErrorCode.INVALID_ARGUMENT.because(
                        "Invalid id: a person's canonical user ID is the name of the client, such as client-5."));
    }

    private static Grantee group(String address) {
        Grantee group = new Grantee(address);
        if (!group.isGroup()) {
            throw ErrorCode.INVALID_ARGUMENT.because("There is no group of this address.");
        }
        return group;
    }

    private static S3Exception unknownAddress() {
        return ErrorCode.UNRESOLVABLE_EMAIL.because("Persons have no mail addresses here; name the canonical user ID.");
    }

    private static S3Exception malformed(String problem) {
        return ErrorCode.MALFORMED_ACL.because("The ACL cannot be used: " + problem + ".");
    }
}
