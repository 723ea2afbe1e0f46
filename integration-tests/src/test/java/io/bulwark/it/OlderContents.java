package io.bulwark.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bulwark.client.AuditLog;
import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.GetOptions;
import io.bulwark.client.Volume;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import io.bulwark.transport.identity.Identity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the stored cluster of an older build holds, and the program that fills it, which runs on that build: it keeps to what builds have offered
 * since.
 *
 * @param build that wrote it
 * @param auditHead stands for the first {@code auditEntries} entries of the audit log
 * @param objects all versions that can be read
 * @param gone keys without an object
 */
@NullMarked
record OlderContents(
        String build,
        long auditEntries,
        String auditHead,
        List<StoredObject> objects,
        List<Gone> gone,
        List<Register> registers) {
    static final int NODES = 5;
    static final int REPLICAS = 4;

    /** Has the right to write, and uses it. */
    static final PrincipalId WRITER = PrincipalId.client(5);

    /** Wrote, and was revoked. */
    static final PrincipalId REVOKED = PrincipalId.client(6);

    /** Has another key than at first. */
    static final PrincipalId ROTATED = PrincipalId.client(7);

    /** Was let in later, and may only read, and only one bucket. */
    static final PrincipalId GUEST = PrincipalId.client(20);

    static final String VERSIONED = "versioned";
    static final String SMALL = "small-blocks";
    static final String LAZY = "lazily-verified";
    static final String REGISTERS_FP = "registers-fp";
    static final String REGISTERS_PASIS = "registers-pasis";
    static final int BLOCKS = 64;
    static final int BLOCK_BYTES = 4096;

    private static final int CLIENTS = 16;
    private static final int WRITTEN = 12;
    private static final int PERIOD = 64;
    private static final int MANY = 48;
    private static final Rights READ = new Rights(true, false, false);
    private static final Rights READ_AND_WRITE = new Rights(true, true, false);

    record StoredObject(String bucket, String key, long version, boolean latest, long length, String sha256) {}

    record Gone(String bucket, String key) {}

    record Register(String volume, long block, String sha256) {}

    /** {@code identities ROOT} before the cluster is there, then {@code fill ROOT FILE BUILD}. */
    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[1]);
        switch (arguments[0]) {
            case "identities" -> makeIdentities(root);
            case "fill" ->
                Files.writeString(
                        Path.of(arguments[2]),
                        JsonMapper.builder()
                                        .build()
                                        .writerWithDefaultPrettyPrinter()
                                        .writeValueAsString(filled(root, arguments[3]))
                                + "\n");
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** As {@code up} makes them, but valid for longer: the data is read for years. */
    private static void makeIdentities(Path root) throws Exception {
        Path keys = Files.createDirectories(root.resolve("keys"));
        SecureRandom random = new SecureRandom();
        SortedMap<PrincipalId, PrincipalKey> known = new TreeMap<>();
        List<PrincipalId> all = Stream.of(
                        IntStream.range(0, NODES).mapToObj(PrincipalId::node),
                        IntStream.range(0, REPLICAS).mapToObj(PrincipalId::replica),
                        IntStream.range(0, CLIENTS).mapToObj(PrincipalId::client))
                .flatMap(each -> each)
                .toList();
        for (PrincipalId principal : all) {
            Identity identity = identity(principal, random);
            identity.store(Identity.file(keys, principal));
            known.put(principal, identity.publicKey());
        }
        byte[] cluster = new byte[16];
        random.nextBytes(cluster);
        new GenesisFile(HexFormat.of().formatHex(cluster), PrincipalId.client(0), known)
                .store(root.resolve("genesis.properties"));
    }

    private static Identity identity(PrincipalId principal, SecureRandom random) {
        return Identity.generate(
                principal, Instant.parse("2020-01-01T00:00:00Z"), Instant.parse("2120-01-01T00:00:00Z"), random);
    }

    private static OlderContents filled(Path root, String build) throws Exception {
        try (Bulwark operator = Bulwark.connect(root.resolve("client.properties"))) {
            operator.createVolume(VolumeSpec.objects(SMALL, new ProtectionPolicy(1, 2, 4, BLOCK_BYTES)));
            operator.createVolume(VolumeSpec.objects(LAZY, pasis()));
            operator.createVolume(
                    VolumeSpec.registers(REGISTERS_FP, new ProtectionPolicy(1, 2, 4, BLOCK_BYTES), BLOCKS));
            operator.createVolume(VolumeSpec.registers(REGISTERS_PASIS, pasis(), BLOCKS));
            operator.createBucket(BucketSpec.of(VERSIONED).keepingVersions());
            operator.createBucket(BucketSpec.of(SMALL).inVolume(SMALL));
            operator.createBucket(BucketSpec.of(LAZY).inVolume(LAZY));
            people(root, operator);
            objects(operator);
            registers(operator);
            try (Bulwark writer = as(root, WRITER);
                    Bulwark revoked = as(root, REVOKED)) {
                writer.bucket(VERSIONED).put("of-a-writer", content("of-a-writer", 9_000));
                revoked.bucket(SMALL).put("of-the-revoked", content("of-the-revoked", 9_000));
                revoked.volume(REGISTERS_FP).writeBlock(WRITTEN, content("of-the-revoked", BLOCK_BYTES));
                revoked.volume(REGISTERS_PASIS).writeBlock(WRITTEN, content("of-the-revoked", BLOCK_BYTES));
                operator.principals().revoke(REVOKED);
            }
            return read(operator, build);
        }
    }

    private static ProtectionPolicy pasis() {
        return ProtectionPolicy.pasis(1, 2, NODES, BLOCK_BYTES, Verification.LAZY);
    }

    private static Bulwark as(Path root, PrincipalId client) {
        return Bulwark.connect(root.resolve(client + ".properties"));
    }

    private static void people(Path root, Bulwark operator) throws Exception {
        SecureRandom random = new SecureRandom();
        operator.principals().grant(WRITER, new Scope.All(), READ_AND_WRITE);
        operator.principals().grant(REVOKED, new Scope.All(), READ_AND_WRITE);
        operator.principals().grant(ROTATED, new Scope.All(), READ);
        Path keys = root.resolve("keys");
        Identity guest = identity(GUEST, random);
        guest.store(Identity.file(keys, GUEST));
        operator.principals().add(GUEST, guest.publicKey());
        operator.principals().grant(GUEST, new Scope.OfBucket(SMALL), READ);
        Identity next = identity(ROTATED, random);
        next.store(keys.resolve(ROTATED + "-next.pem"));
        operator.principals().rotate(ROTATED, next.publicKey(), true);
        operator.principals().rotate(ROTATED, next.publicKey(), false);
    }

    private static void objects(Bulwark operator) {
        Bucket versioned = operator.bucket(VERSIONED);
        for (int length : new int[] {1, 1_500, 70_000}) {
            versioned.put("three-versions", content("three-versions", length));
        }
        versioned.put("two-blocks", content("two-blocks", (1 << 20) + 70_001));
        versioned.put("empty", new byte[0]);
        versioned.put("deleted", content("deleted", 3_000));
        versioned.delete("deleted");
        long removed = versioned
                .put("one-version-less", content("one-version-less", 2_000))
                .version();
        versioned.put("one-version-less", content("one-version-less", 2_001));
        versioned.delete("one-version-less", removed);
        for (String name : List.of(SMALL, LAZY)) {
            Bucket bucket = operator.bucket(name);
            for (int i = 0; i < MANY; i++) {
                bucket.put("many/" + i, content(name + i, 257 * i));
            }
            for (int i = 0; i < MANY; i += 8) {
                bucket.put("many/" + i, content(name + "again" + i, 300 * i + 1));
            }
            for (int i = 4; i < MANY; i += 8) {
                bucket.delete("many/" + i);
            }
            bucket.copy("many/1", "copied");
            bucket.rename("many/2", "renamed");
        }
    }

    private static void registers(Bulwark operator) {
        for (String name : List.of(REGISTERS_FP, REGISTERS_PASIS)) {
            Volume volume = operator.volume(name);
            for (int block = 0; block < WRITTEN; block++) {
                for (int version = 0; version <= block % 3; version++) {
                    volume.writeBlock(block, content(name + block + "/" + version, BLOCK_BYTES));
                }
            }
        }
    }

    /** What is there, as a client reads it. */
    static OlderContents read(Bulwark client, String build) {
        List<StoredObject> objects = new ArrayList<>();
        for (String name : List.of(VERSIONED, SMALL, LAZY)) {
            Bucket bucket = client.bucket(name);
            try (var versions = bucket.versions("")) {
                versions.filter(version -> !version.deleteMarker())
                        .forEach(version -> objects.add(new StoredObject(
                                name,
                                version.key(),
                                version.version(),
                                version.latest(),
                                version.length(),
                                sha256(bucket.getBytes(
                                        version.key(), GetOptions.DEFAULT.withVersion(version.version()))))));
            }
        }
        List<Gone> gone = new ArrayList<>();
        gone.add(new Gone(VERSIONED, "deleted"));
        for (String bucket : List.of(SMALL, LAZY)) {
            gone.add(new Gone(bucket, "many/4"));
            gone.add(new Gone(bucket, "many/2"));
        }
        List<Register> registers = new ArrayList<>();
        for (String name : List.of(REGISTERS_FP, REGISTERS_PASIS)) {
            Volume volume = client.volume(name);
            for (long block = 0; block <= WRITTEN + 1; block++) {
                registers.add(new Register(name, block, sha256(volume.readBlock(block))));
            }
        }
        AuditLog.Verification audit = client.audit().verify(Optional.empty(), _ -> {});
        return new OlderContents(build, audit.entries(), audit.head().toHex(), objects, gone, registers);
    }

    /** Easy to compress, and different in each page. */
    static byte[] content(String name, int length) {
        byte[] bytes = new byte[length];
        byte[] period = new byte[PERIOD];
        for (int from = 0; from < length; from += BLOCK_BYTES) {
            new Random(Map.entry(name, from).hashCode()).nextBytes(period);
            byte[] label = (name + "@" + from + "\n").getBytes(UTF_8);
            System.arraycopy(label, 0, period, 0, Math.min(label.length, PERIOD));
            for (int at = from; at < Math.min(length, from + BLOCK_BYTES); at += PERIOD) {
                System.arraycopy(period, 0, bytes, at, Math.min(PERIOD, length - at));
            }
        }
        return bytes;
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
