package io.bulwark.example;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.Volume;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.encryption.KeyProvider;
import io.bulwark.client.encryption.Pkcs12Keys;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * The code of docs/sdk.md, which has these lines word for word, with checks around it. It needs a cluster without a
 * bucket {@code photos} and a volume {@code disk}.
 */
public final class Tutorial {
    /** Password of the key file {@link #encrypt} reads. */
    private final char[] password;

    private final Path directory;

    /**
     * Makes a run.
     *
     * @param directory for files, empty but for {@code photos.p12}, which has the key {@code 2026}
     * @param password of {@code photos.p12}
     */
    public Tutorial(Path directory, char[] password) {
        this.directory = directory;
        this.password = password.clone();
    }

    /** Takes the {@code client.properties} of a cluster and a directory with {@code photos.p12}. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        char[] password = Objects.requireNonNull(System.getenv("PHOTOS_PASSWORD"), "PHOTOS_PASSWORD")
                .toCharArray();
        new Tutorial(Path.of(arguments[1]), password).run(Path.of(arguments[0]));
        System.out.println("docs/sdk.md ran on Java " + Runtime.version().feature());
    }

    /** Runs everything; an {@link IllegalStateException} tells what did not do what the page says. */
    public void run(Path config) throws IOException, InterruptedException {
        Files.writeString(directory.resolve("boat.jpg"), "a boat");
        connect(config, directory.resolve("boat.jpg"), directory.resolve("copy.jpg"));
        Checks.that(Files.readString(directory.resolve("copy.jpg")).equals("a boat"), "a file comes back");
        try (Bulwark client = Bulwark.connect(config)) {
            blocks(client);
            Checks.that(client.volume("disk").readBlock(7)[0] == 1, "a block comes back");
            encrypt(client, directory.resolve("photos.p12"));
            new Recipes(client.bucket("photos")).run(directory);
            LockedVersions.run(client);
        }
    }

    private static void connect(Path config, Path boat, Path copy) {
        try (Bulwark client = Bulwark.connect(config)) {
            Bucket photos = client.createBucket("photos");
            photos.put("2026/boat.jpg", boat);
            photos.readTo("2026/boat.jpg", copy);
        }
    }

    private static void blocks(Bulwark client) {
        client.createVolume(VolumeSpec.registers("disk", ProtectionPolicy.standard(), 1024));
        Volume disk = client.volume("disk");
        byte[] block = disk.readBlock(7); // zeros if never written
        block[0] = 1;
        disk.writeBlock(7, block);
    }

    private void encrypt(Bulwark client, Path file) throws IOException {
        byte[] bytes = {1, 2, 3};
        KeyProvider keys = Pkcs12Keys.load(file, password, "2026");
        Bucket secret = client.bucket("photos", keys);
        secret.put("boat.jpg", bytes); // servers see what is encrypted
        byte[] again = secret.getBytes("boat.jpg"); // or an exception, if anything was changed
        Checks.that(again.length == bytes.length && again[2] == 3, "an encrypted object comes back");
        Checks.that(client.bucket("photos").head("boat.jpg").encrypted(), "it is encrypted");
    }
}
