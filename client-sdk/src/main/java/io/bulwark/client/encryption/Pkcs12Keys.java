package io.bulwark.client.encryption;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import io.bulwark.transport.file.UnusableFileException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.UnrecoverableKeyException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import javax.crypto.SecretKey;
import org.jspecify.annotations.Nullable;

/**
 * The AES-256 keys of a PKCS#12 file, as {@code keytool -genseckey -keyalg AES -keysize 256 -storetype PKCS12} makes them: the alias is the
 * key's name, in which capitals do not count. Data keys are wrapped with AES-256-GCM under a random nonce.
 */
public final class Pkcs12Keys implements KeyProvider {
    private static final int FILE_BYTES_MAX = 16 << 20;

    private final Path file;
    private final SortedMap<String, SecretKey> keys;
    private final String wrapping;
    private final SecureRandom random = new SecureRandom();

    private Pkcs12Keys(Path file, SortedMap<String, SecretKey> keys, String wrapping) {
        this.file = file;
        this.keys = keys;
        this.wrapping = wrapping;
    }

    /**
     * Reads a file.
     *
     * @param alias the key for objects that are put from now on; may be null if there is one only. All keys serve for reading
     * @throws IOException if it cannot be read with this password, or has no such key; says what to do
     */
    public static Pkcs12Keys load(Path file, char[] password, @Nullable String alias) throws IOException {
        SortedMap<String, SecretKey> keys = new TreeMap<>();
        byte[] content;
        try (InputStream in = Files.newInputStream(file)) {
            content = in.readNBytes(FILE_BYTES_MAX);
        }
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(new ByteArrayInputStream(content), password);
            for (String name : Collections.list(store.aliases())) {
                if (store.isKeyEntry(name) && store.getKey(name, password) instanceof SecretKey key) {
                    byte[] encoded = key.getEncoded();
                    if (key.getAlgorithm().equals(AesGcm.ALGORITHM)
                            && encoded != null
                            && encoded.length == AesGcm.KEY_BYTES) {
                        keys.put(name, key);
                    }
                }
            }
        } catch (GeneralSecurityException | IOException e) {
            throw new UnusableFileException(
                    file + " is not a PKCS#12 file, or its password is wrong: " + e.getMessage(), e);
        }
        List<String> names = List.copyOf(keys.keySet());
        if (names.isEmpty()) {
            throw new UnusableFileException(file + " has no AES key of 256 bits");
        }
        if (alias == null && names.size() > 1) {
            throw new UnusableFileException(file + " has the keys " + names + ": choose the one for new objects");
        }
        String wrapping = alias == null ? names.getFirst() : alias.toLowerCase(Locale.ROOT);
        if (!keys.containsKey(wrapping)) {
            throw new UnusableFileException(
                    file + " has no AES key of 256 bits with the name " + wrapping + ", but " + names);
        }
        return new Pkcs12Keys(file, keys, wrapping);
    }

    @Override
    public WrappedKey wrap(Bytes dataKey, Bytes context) throws GeneralSecurityException {
        byte[] nonce = new byte[AesGcm.NONCE_BYTES];
        random.nextBytes(nonce);
        byte[] sealed =
                AesGcm.seal(key(wrapping), nonce, bound(wrapping, context), dataKey.toByteArray(), 0, dataKey.length());
        return new WrappedKey(
                wrapping,
                new WireWriter().raw(Bytes.of(nonce)).raw(Bytes.of(sealed)).toBytes());
    }

    @Override
    public Bytes unwrap(WrappedKey wrapped, Bytes context) throws GeneralSecurityException {
        SecretKey key = key(wrapped.keyName());
        byte[] all = wrapped.wrapped().toByteArray();
        if (all.length < AesGcm.NONCE_BYTES + AesGcm.TAG_BYTES) {
            throw new GeneralSecurityException("a wrapped key of " + all.length + " bytes");
        }
        byte[] nonce = wrapped.wrapped().slice(0, AesGcm.NONCE_BYTES).toByteArray();
        return Bytes.of(AesGcm.open(
                key,
                nonce,
                bound(wrapped.keyName(), context),
                all,
                AesGcm.NONCE_BYTES,
                all.length - AesGcm.NONCE_BYTES));
    }

    /** Names the file and the keys, nothing secret. */
    @Override
    public String toString() {
        return file + " with " + keys.keySet();
    }

    private SecretKey key(String name) throws UnrecoverableKeyException {
        SecretKey key = keys.get(name);
        if (key == null) {
            throw new UnrecoverableKeyException("the key \"" + name + "\" is not in " + file);
        }
        return key;
    }

    private static Bytes bound(String name, Bytes context) {
        return new WireWriter()
                .bytes(context)
                .raw(Bytes.of(name.getBytes(StandardCharsets.UTF_8)))
                .toBytes();
    }
}
