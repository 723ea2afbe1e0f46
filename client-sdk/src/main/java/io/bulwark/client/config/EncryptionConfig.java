package io.bulwark.client.config;

import io.bulwark.client.encryption.KeyProvider;
import io.bulwark.client.encryption.Pkcs12Keys;
import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.file.TextFile;
import io.bulwark.transport.file.UnusableFileException;
import io.bulwark.transport.identity.SecretFile;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Location of the keys for encrypting objects. In a client's file:
 *
 * <pre>
 * encrypt-with=photos.p12
 * encrypt-key=2026
 * encrypt-password-file=photos.password
 * </pre>
 *
 * @param keyStore a PKCS#12 file ({@link Pkcs12Keys})
 * @param key the key for new objects; may be null if the file has one only
 * @param passwordFile holds the password in its first line, mode 0600; null to take it from the environment, {@link
 *     #PASSWORD_VARIABLE}
 */
public record EncryptionConfig(
        Path keyStore, @Nullable String key, @Nullable Path passwordFile) {
    /** The environment variable. */
    public static final String PASSWORD_VARIABLE = "BULWARK_ENCRYPT_PASSWORD";

    private static final String WITH = ClientSetting.ENCRYPT_WITH.key();
    private static final String KEY = ClientSetting.ENCRYPT_KEY.key();
    private static final String PASSWORD_FILE = ClientSetting.ENCRYPT_PASSWORD_FILE.key();

    private static final int PASSWORD_FILE_BYTES_MAX = 4096;

    /**
     * Returns the keys, which are read when one is first needed. A {@link ConfigException} then says what to do if they
     * are not available.
     */
    public KeyProvider keys() {
        return new KeyProvider() {
            private @Nullable KeyProvider read;

            @Override
            public WrappedKey wrap(Bytes dataKey, Bytes context) throws GeneralSecurityException {
                return provider().wrap(dataKey, context);
            }

            @Override
            public Bytes unwrap(WrappedKey wrapped, Bytes context) throws GeneralSecurityException {
                return provider().unwrap(wrapped, context);
            }

            private synchronized KeyProvider provider() {
                KeyProvider known = read;
                if (known == null) {
                    known = load();
                    read = known;
                }
                return known;
            }
        };
    }

    private KeyProvider load() {
        try {
            return Pkcs12Keys.load(keyStore, password().toCharArray(), key);
        } catch (UnusableFileException e) {
            throw new ConfigException("no keys to encrypt with: " + e.getMessage(), Subject.NONE, e);
        } catch (IOException e) {
            throw ConfigurationFile.failure(
                    e instanceof FileSystemException named && named.getFile() != null
                            ? Path.of(named.getFile())
                            : keyStore,
                    "file of keys to encrypt with",
                    e);
        }
    }

    static Optional<EncryptionConfig> read(Properties properties, Path file) {
        String keyStore = properties.getProperty(WITH, "").trim();
        if (keyStore.isEmpty()) {
            if (properties.containsKey(KEY) || properties.containsKey(PASSWORD_FILE)) {
                throw new IllegalArgumentException(KEY + " or " + PASSWORD_FILE + " without " + WITH);
            }
            return Optional.empty();
        }
        String passwordFile = properties.getProperty(PASSWORD_FILE);
        return Optional.of(new EncryptionConfig(
                file.toAbsolutePath().resolveSibling(keyStore).normalize(),
                properties.getProperty(KEY),
                passwordFile == null
                        ? null
                        : file.toAbsolutePath()
                                .resolveSibling(passwordFile.trim())
                                .normalize()));
    }

    /**
     * Adds the settings.
     *
     * @param text returns a path as the file names it
     */
    void store(Properties properties, Function<Path, String> text) {
        properties.setProperty(WITH, text.apply(keyStore));
        if (key != null) {
            properties.setProperty(KEY, key);
        }
        if (passwordFile != null) {
            properties.setProperty(PASSWORD_FILE, text.apply(passwordFile));
        }
    }

    private String password() throws IOException {
        if (passwordFile == null) {
            String password = System.getenv(PASSWORD_VARIABLE);
            if (password == null) {
                throw new UnusableFileException(
                        "set " + PASSWORD_FILE + ", or " + PASSWORD_VARIABLE + " in the environment");
            }
            return password;
        }
        SecretFile.check(passwordFile);
        return TextFile.read(passwordFile, PASSWORD_FILE_BYTES_MAX)
                .lines()
                .findFirst()
                .orElse("");
    }
}
