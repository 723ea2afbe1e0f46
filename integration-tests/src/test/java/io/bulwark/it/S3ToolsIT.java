package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.drill.Lie;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.ListOptions;
import io.bulwark.client.VolumeSpec;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.transfer.s3.S3TransferManager;

/**
 * Programs that people use S3 with do a real job through the gateway: a tree goes in and comes back with the same bytes. restic does it
 * while a node lies and another is killed. Takes most of a minute, since such programs start slowly and the backup is slowed down.
 */
@Tag("long")
@NullMarked
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class S3ToolsIT {
    private static final int NODES = 7;
    private static final String BUCKET = "tools";
    private static final String KILLED = "node-0";
    private static final int LIAR = 3;
    private static final int PART = 8 << 20;
    private static final int BACKUP_BYTES = 48 << 20;

    /** Lets the backup last for 24 seconds at least, so that faults find it at work. */
    private static final String BACKUP_KIBIBYTES_PER_SECOND = "2048";

    private static final Duration FIRST_PACK_MAX = Duration.ofMinutes(2);

    /** The node that is killed has a process of its own. */
    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.ofNodeProcesses(NODES, 1);

    @TempDir
    static Path directory = Path.of("");

    private @Nullable S3Tools made;

    @BeforeAll
    void makeTreeAndKey() throws IOException {
        // Two faults at once: a node that lies, and one that is down.
        CLUSTER.client().createVolume(VolumeSpec.objects(BUCKET, new ProtectionPolicy(2, 3, NODES, 1 << 20)));
        CLUSTER.client().createBucket(BucketSpec.of(BUCKET).inVolume(BUCKET));
        CommandRun created = new CommandRun(CLUSTER, "access-key", "create", "tools", "--bucket", BUCKET).goForPeople();
        assertThat(created.exitCode()).as(created.err()).isZero();
        made = S3Tools.of(directory, created.out());

        Random random = new Random(LiveCluster.SEED);
        write("empty", 0, random);
        write("sub/deep/ä b+c%20 (1)&'.txt", 1000, random);
        write("large.bin", 2 * PART + 12_345, random);
        for (int i = 0; i < 20; i++) {
            write("sub/many/" + i, 1 + random.nextInt(10_000), random);
        }
        Path script = write("sub/run.sh", 100, random);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-x---"));
        Files.setLastModifiedTime(script, FileTime.from(Instant.parse("2020-02-03T04:05:06.789Z")));
    }

    private static Path tree() {
        return directory.resolve("tree");
    }

    private S3Tools tools() {
        return Objects.requireNonNull(made);
    }

    private static Path write(String name, int length, Random random) throws IOException {
        Path file = tree().resolve(name);
        Files.createDirectories(file.getParent());
        byte[] content = new byte[length];
        random.nextBytes(content);
        Files.write(file, content);
        // S3 tells whole seconds, so a file of the second in which it was uploaded looks newer than its copy.
        return Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(10)));
    }

    /** Returns the content of all files, and where the tool keeps them their modes and times. */
    private static SortedMap<String, String> state(Path root, boolean withAttributes) throws IOException {
        SortedMap<String, String> state = new TreeMap<>();
        try (Stream<Path> all = Files.walk(root)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String attributes = withAttributes
                        ? Files.getLastModifiedTime(file).toInstant() + " "
                                + PosixFilePermissions.toString(Files.getPosixFilePermissions(file))
                        : "";
                byte[] content = Files.readAllBytes(file);
                state.put(
                        root.relativize(file).toString(),
                        content.length + " " + Arrays.hashCode(content) + " " + attributes);
            }
        }
        return state;
    }

    private static void assertSame(Path back) throws IOException {
        assertThat(state(back, false)).isEqualTo(state(tree(), false));
    }

    private static int objects(String prefix) {
        return CLUSTER.client()
                .bucket(BUCKET)
                .list(ListOptions.DEFAULT.withPrefix(prefix))
                .objects()
                .size();
    }

    @Test
    @Order(1)
    void awsCopiesSharesAndDeletesATree() throws Exception {
        S3Tools.assume("aws");
        String target = "s3://" + BUCKET + "/aws";
        Path back = directory.resolve("aws-back");
        aws("s3", "sync", tree().toString(), target);
        assertThat(aws("s3", "sync", tree().toString(), target))
                .as("nothing is new")
                .isEmpty();
        assertThat(aws("s3", "ls", "--recursive", target)).contains("aws/sub/deep/ä b+c%20 (1)&'.txt");
        aws("s3", "cp", target + "/large.bin", target + "/copy.bin");
        aws("s3", "mv", target + "/copy.bin", target + "/large.bin");
        aws("s3", "sync", target, back.toString());
        try (InputStream shared =
                URI.create(aws("s3", "presign", target + "/sub/run.sh")).toURL().openStream()) {
            assertThat(shared.readAllBytes()).isEqualTo(Files.readAllBytes(tree().resolve("sub/run.sh")));
        }
        assertSame(back);
        aws("s3", "rm", "--recursive", target);
        assertThat(objects("aws/")).isZero();
    }

    private String aws(String... arguments) throws Exception {
        String[] command = Stream.concat(Stream.of("aws", "--profile", "bulwark"), Arrays.stream(arguments))
                .toArray(String[]::new);
        // A line of progress ends with a carriage return alone.
        return tools().run(command).replaceAll("[^\n]*\r", "").strip();
    }

    @Test
    @Order(2)
    @Tag("nightly")
    void rcloneCopiesChecksAndDeletesATree() throws Exception {
        S3Tools.assume("rclone");
        tools().run(
                        "rclone",
                        "config",
                        "create",
                        "bulwark",
                        "s3",
                        "provider=Other",
                        "access_key_id=" + tools().id(),
                        "secret_access_key=" + tools().secret(),
                        "endpoint=" + tools().endpoint());
        String target = "bulwark:" + BUCKET + "/rclone";
        Path back = directory.resolve("rclone-back");
        tools().run("rclone", "sync", "--s3-upload-cutoff", "8M", "--s3-chunk-size", "8M", tree().toString(), target);
        assertThat(tools().run("rclone", "check", "--download", tree().toString(), target))
                .contains("0 differences found");
        tools().run("rclone", "sync", target, back.toString());
        assertSame(back);
        tools().run("rclone", "purge", target);
        assertThat(objects("rclone/")).isZero();
    }

    @Test
    @Order(3)
    @Tag("nightly")
    void s3cmdCopiesAndDeletesATree() throws Exception {
        S3Tools.assume("s3cmd");
        Files.writeString(
                tools().home().resolve(".s3cfg"), """
                    [default]
                    access_key = %1$s
                    secret_key = %2$s
                    host_base = %3$s
                    host_bucket = %3$s
                    use_https = False
                    """.formatted(tools().id(), tools().secret(), tools().address()));
        String target = "s3://" + BUCKET + "/s3cmd/";
        Path back = Files.createDirectory(directory.resolve("s3cmd-back"));
        tools().run("s3cmd", "sync", "--multipart-chunk-size-mb=8", tree() + "/", target);
        tools().run("s3cmd", "sync", target, back + "/");
        assertSame(back);
        assertThat(state(back, true).get("sub/run.sh")).endsWith("rwxr-x---");
        tools().run("s3cmd", "del", "--recursive", "--force", target);
        assertThat(objects("s3cmd/")).isZero();
    }

    @Test
    @Order(4)
    @Tag("nightly")
    void boto3CopiesSharesAndDeletesATree() throws Exception {
        S3Tools.assumeBoto3();
        Path back = directory.resolve("boto3-back");
        Path script = Files.writeString(directory.resolve("tree.py"), """
            import os, sys, urllib.request
            import boto3
            tree, back, bucket = sys.argv[1:]
            s3 = boto3.Session(profile_name="bulwark").client("s3")
            names = [os.path.relpath(os.path.join(d, f), tree) for d, _, files in os.walk(tree) for f in files]
            for name in names:
                s3.upload_file(os.path.join(tree, name), bucket, "boto3/" + name)
            pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix="boto3/", MaxKeys=7)
            keys = [entry["Key"] for page in pages for entry in page["Contents"]]
            assert sorted(keys) == sorted("boto3/" + name for name in names), keys
            for number, key in enumerate(keys):
                path = os.path.join(back, os.path.relpath(key, "boto3"))
                os.makedirs(os.path.dirname(path), exist_ok=True)
                if number % 2:
                    s3.download_file(bucket, key, path)
                else:
                    url = s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": key})
                    urllib.request.urlretrieve(url, path)
            for start in range(0, len(keys), 1000):
                objects = [{"Key": key} for key in keys[start:start + 1000]]
                assert "Errors" not in s3.delete_objects(Bucket=bucket, Delete={"Objects": objects})
            """);
        tools().run("python3", script.toString(), tree().toString(), back.toString(), BUCKET);
        assertSame(back);
        assertThat(objects("boto3/")).isZero();
    }

    @Test
    @Order(5)
    @Tag("nightly")
    void boto3ConfiguresNotifications() throws Exception {
        S3Tools.assumeBoto3();
        CLUSTER.client().webhooks().create("boto3-hooks", "http://127.0.0.1:9/");
        CommandRun created = new CommandRun(
                        CLUSTER, "access-key", "create", "settings", "--bucket", BUCKET, "--rights", "admin")
                .goForPeople();
        S3Tools owner = S3Tools.of(Files.createDirectory(directory.resolve("owner")), created.out());
        Path script = Files.writeString(directory.resolve("notify.py"), """
            import sys
            import boto3, botocore
            bucket, = sys.argv[1:]
            s3 = boto3.Session(profile_name="bulwark").client("s3")
            rule = {"Id": "all", "QueueArn": "arn:bulwark:sqs:::boto3-hooks",
                    "Events": ["s3:ObjectCreated:*", "s3:ObjectRemoved:Delete"],
                    "Filter": {"Key": {"FilterRules": [{"Name": "prefix", "Value": "in/"}]}}}
            def put(**configuration):
                s3.put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration=configuration)
            put(QueueConfigurations=[rule])
            assert s3.get_bucket_notification_configuration(Bucket=bucket)["QueueConfigurations"] == [rule]
            try:
                put(TopicConfigurations=[{"TopicArn": "arn:aws:sns:us-east-1:1:a", "Events": rule["Events"]}])
                raise AssertionError("a topic was taken")
            except botocore.exceptions.ClientError as e:
                assert e.response["Error"]["Code"] == "NotImplemented", e.response
            put()
            assert "QueueConfigurations" not in s3.get_bucket_notification_configuration(Bucket=bucket)
            """);
        try {
            owner.run("python3", script.toString(), BUCKET);
        } finally {
            CLUSTER.client().webhooks().remove("boto3-hooks");
        }
    }

    @Test
    @Order(6)
    @Tag("nightly")
    void transferManagerCopiesATree() throws Exception {
        Path back = directory.resolve("manager-back");
        try (S3AsyncClient client = S3AsyncClient.builder()
                        .endpointOverride(URI.create(tools().endpoint()))
                        .region(Region.US_EAST_1)
                        .forcePathStyle(true)
                        .multipartEnabled(true)
                        .multipartConfiguration(parts ->
                                parts.minimumPartSizeInBytes((long) PART).thresholdInBytes((long) PART))
                        .credentialsProvider(StaticCredentialsProvider.create(
                                AwsBasicCredentials.create(tools().id(), tools().secret())))
                        .build();
                S3TransferManager manager =
                        S3TransferManager.builder().s3Client(client).build()) {
            var stored = manager.uploadDirectory(
                            request -> request.source(tree()).bucket(BUCKET).s3Prefix("manager"))
                    .completionFuture()
                    .get();
            assertThat(stored.failedTransfers()).isEmpty();
            var read = manager.downloadDirectory(request -> request.bucket(BUCKET)
                            .listObjectsV2RequestTransformer(list -> list.prefix("manager/"))
                            .destination(back))
                    .completionFuture()
                    .get();
            assertThat(read.failedTransfers()).isEmpty();
            assertSame(back);
        }
    }

    @Test
    @Order(7)
    @Tag("nightly")
    void hadoopCopiesRenamesAndDeletesATree() throws Exception {
        S3Tools.assume("mvn");
        S3Tools.assumeJavaForHadoop();
        Path classPath = directory.resolve("hadoop.path");
        tools().run(
                        "mvn",
                        "-B",
                        "-q",
                        "-Dmaven.repo.local=" + Path.of(System.getProperty("user.home"), ".m2", "repository"),
                        "-f",
                        Path.of("hadoop/pom.xml").toAbsolutePath().toString(),
                        "dependency:build-classpath",
                        "-Dmdep.outputFile=" + classPath);
        Path settings = Files.createDirectory(directory.resolve("hadoop"));
        StringBuilder text = new StringBuilder("<configuration>");
        Map.of(
                        "fs.s3a.endpoint", tools().endpoint(),
                        "fs.s3a.endpoint.region", "us-east-1",
                        "fs.s3a.path.style.access", "true",
                        "fs.s3a.connection.ssl.enabled", "false",
                        "fs.s3a.multipart.size", Integer.toString(PART),
                        "fs.s3a.access.key", tools().id(),
                        "fs.s3a.secret.key", tools().secret())
                .forEach((name, value) -> text.append("<property><name>")
                        .append(name)
                        .append("</name><value>")
                        .append(value)
                        .append("</value></property>"));
        Files.writeString(settings.resolve("core-site.xml"), text.append("</configuration>"));
        String libraries = settings + ":" + Files.readString(classPath).strip();

        String target = "s3a://" + BUCKET + "/hadoop";
        Path back = directory.resolve("hadoop-back");
        hadoop(libraries, "-put", tree().toString(), target);
        assertThat(hadoop(libraries, "-ls", "-R", target)).contains("hadoop/sub/deep/ä b+c%20 (1)&'.txt");
        hadoop(libraries, "-mv", target + "/sub", target + "/moved");
        hadoop(libraries, "-mv", target + "/moved", target + "/sub");
        hadoop(libraries, "-get", target, back.toString());
        assertSame(back);
        hadoop(libraries, "-rm", "-r", "-skipTrash", target);
        assertThat(objects("hadoop/")).isZero();
    }

    /** Runs Hadoop's shell of file systems. It does not run on Java 24 or later. */
    private String hadoop(String libraries, String... arguments) throws Exception {
        String[] command = Stream.concat(
                        Stream.of("java", "-cp", libraries, "org.apache.hadoop.fs.FsShell"), Arrays.stream(arguments))
                .toArray(String[]::new);
        return tools().run(command);
    }

    /** The last test, since the node stays killed. */
    @Test
    @Order(8)
    void resticBacksUpWhileANodeLiesAndAnotherIsKilled() throws Exception {
        S3Tools.assume("restic");
        write("incompressible.bin", BACKUP_BYTES, new Random(LiveCluster.SEED + 1));
        restic("init").await();
        // Small packs, two at once: the first is stored long before the last.
        S3Tools.Running backup = restic(
                "backup",
                "--limit-upload",
                BACKUP_KIBIBYTES_PER_SECOND,
                "--pack-size",
                "4",
                "-o",
                "s3.connections=2",
                "tree");
        await().atMost(FIRST_PACK_MAX)
                .until(() -> objects("restic/data/") > 0 || !backup.process().isAlive());
        CLUSTER.lie(LIAR, Lie.GARBLE);
        LiveCluster.kill(CLUSTER.member(KILLED));
        assertThat(backup.process().isAlive())
                .as("the faults come during the backup")
                .isTrue();
        backup.await();
        assertThat(CLUSTER.member(KILLED).isRunning()).isFalse();
        assertThat(restic("check", "--read-data", "--no-cache").await()).contains("no errors were found");

        Path back = directory.resolve("restic-back");
        restic("restore", "latest", "--target", back.toString()).await();
        assertThat(state(back.resolve("tree"), true)).isEqualTo(state(tree(), true));
        Files.delete(tree().resolve("incompressible.bin"));
        restic("backup", "tree").await();
        restic("forget", "--keep-last", "1", "--prune").await();
        assertThat(restic("check", "--read-data", "--no-cache").await()).contains("no errors were found");
    }

    private S3Tools.Running restic(String... arguments) throws IOException {
        String repository = "s3:" + tools().endpoint() + "/" + BUCKET + "/restic";
        String[] command = Stream.concat(Stream.of("restic", "-r", repository), Arrays.stream(arguments))
                .toArray(String[]::new);
        return tools().startWithKey(Map.of("RESTIC_PASSWORD", "correct horse", "RESTIC_PROGRESS_FPS", "0.1"), command);
    }
}
