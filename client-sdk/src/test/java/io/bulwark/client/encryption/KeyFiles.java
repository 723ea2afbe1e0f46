package io.bulwark.client.encryption;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.NullMarked;

/** PKCS#12 files with fresh AES keys. */
@NullMarked
public final class KeyFiles {
    public static final String PASSWORD = "correct horse";

    private KeyFiles() {}

    /** A file with a key of each name. */
    public static Path create(Path file, String... names) {
        return create(file, AesGcm.KEY_BYTES, names);
    }

    static Path create(Path file, int keyBytes, String... names) {
        try (OutputStream out = Files.newOutputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            SecureRandom random = new SecureRandom();
            for (String name : names) {
                byte[] key = new byte[keyBytes];
                random.nextBytes(key);
                store.setEntry(
                        name,
                        new KeyStore.SecretKeyEntry(new SecretKeySpec(key, AesGcm.ALGORITHM)),
                        new KeyStore.PasswordProtection(PASSWORD.toCharArray()));
            }
            store.store(out, PASSWORD.toCharArray());
            return file;
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** The keys of such a file; new objects get the key of this name. */
    public static KeyProvider load(Path file, String name) {
        try {
            return Pkcs12Keys.load(file, PASSWORD.toCharArray(), name);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
