package io.bulwark.transport.identity;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.transport.file.TextFile;
import io.bulwark.transport.file.UnusableFileException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.Security;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.security.auth.login.FailedLoginException;

/**
 * Location of a private key that does not leave a device: a token of PKCS#11, reached through the JDK's own provider.
 * The device performs the operations of the key; the certificate lies beside the key. As a file:
 *
 * <pre>
 * pkcs11.module=/usr/lib/softhsm/libsofthsm2.so
 * pkcs11.token=bulwark
 * pkcs11.key=replica-0
 * pkcs11.pin-file=replica-0.pin
 * </pre>
 *
 * @param module the device's library
 * @param label of the token
 * @param alias of the key and its certificate
 * @param pinFile holds the user's PIN, mode 0600; in a file, relative to the directory of that file. Empty if a person
 *     types the PIN
 */
public record Pkcs11Token(Path module, String label, String alias, Optional<Path> pinFile) {
    private static final String MODULE = "pkcs11.module";
    private static final String TOKEN = "pkcs11.token";
    private static final String KEY = "pkcs11.key";
    private static final String PIN_FILE = "pkcs11.pin-file";
    private static final Set<String> REQUIRED = Set.of(MODULE, TOKEN, KEY);

    private static final int PIN_BYTES_MAX = 256;
    private static final int FILE_BYTES_MAX = 4 << 10;

    /** Providers by token: a process has one for each. */
    private static final Map<String, Provider> PROVIDERS = new TreeMap<>();

    /** Tokens at which this process is logged in: with a PIN file for good, else while somebody has it open. */
    private static final Set<String> LOGGED_IN = new HashSet<>();

    /** Returns whether this is the text of a file that names a token. */
    static boolean isNamedIn(String text) {
        return text.lines().anyMatch(line -> line.startsWith("pkcs11."));
    }

    /**
     * Reads the text of a file.
     *
     * @param file where it stands
     * @throws IOException if it names no token
     */
    static Pkcs11Token parse(String text, Path file) throws IOException {
        Properties properties = TextFile.parse(text, file);
        Set<String> names = new TreeSet<>(properties.stringPropertyNames());
        names.remove(PIN_FILE);
        if (!names.equals(new TreeSet<>(REQUIRED))) {
            throw new UnusableFileException(file + " must have the settings " + new TreeSet<>(REQUIRED)
                    + " and may have " + PIN_FILE + "; it has " + new TreeSet<>(properties.stringPropertyNames()));
        }
        return new Pkcs11Token(
                Path.of(properties.getProperty(MODULE)),
                properties.getProperty(TOKEN),
                properties.getProperty(KEY),
                Optional.ofNullable(properties.getProperty(PIN_FILE))
                        .map(pin -> file.toAbsolutePath().resolveSibling(pin)));
    }

    /**
     * Reads a file.
     *
     * @throws IOException if it names no token
     */
    public static Pkcs11Token load(Path file) throws IOException {
        return parse(TextFile.read(file, FILE_BYTES_MAX), file);
    }

    /** The text of a file that names this token. */
    public String text() {
        return MODULE + "=" + module + "\n" + TOKEN + "=" + label + "\n" + KEY + "=" + alias + "\n"
                + pinFile.map(pin -> PIN_FILE + "=" + pin + "\n").orElse("");
    }

    /**
     * Returns the identity whose key is there, with the PIN of the file.
     *
     * @throws IOException if the device does not answer, the PIN is wrong, or there is no such key; says what to do
     */
    public Identity identity() throws IOException {
        try {
            return find(open());
        } catch (GeneralSecurityException | ProviderException e) {
            throw failed(e);
        }
    }

    /**
     * Opens the device with a PIN that a person typed.
     *
     * @throws WrongPinException if the device refuses the PIN
     * @throws IOException if it does not answer, is open already, or has no such key
     */
    public OpenedDevice open(char[] pin) throws IOException {
        return open(pin, this::find);
    }

    private OpenedDevice open(char[] pin, Search search) throws IOException {
        Provider provider = provider();
        synchronized (PROVIDERS) {
            // A second login would succeed without a look at the PIN.
            if (!LOGGED_IN.add(name())) {
                throw new UnusableFileException("the token \"" + label + "\" is in use");
            }
        }
        boolean opened = false;
        try {
            OpenedDevice device = new OpenedDevice(search.in(logIn(provider, pin)), provider, this::release);
            opened = true;
            return device;
        } catch (GeneralSecurityException | ProviderException e) {
            throw failed(e);
        } finally {
            if (!opened) {
                OpenedDevice.logOut(provider);
                release();
            }
        }
    }

    @FunctionalInterface
    private interface Search {
        Identity in(KeyStore keys) throws IOException, GeneralSecurityException;
    }

    private void release() {
        synchronized (PROVIDERS) {
            LOGGED_IN.remove(name());
        }
    }

    private String name() {
        return module + " " + label;
    }

    private Identity find(KeyStore keys) throws IOException, GeneralSecurityException {
        Key key = keys.getKey(alias, null);
        Certificate certificate = keys.getCertificate(alias);
        if (!(key instanceof PrivateKey own) || !(certificate instanceof X509Certificate known)) {
            throw new UnusableFileException(
                    "the token \"" + label + "\" has no key with a certificate under the alias \"" + alias
                            + "\"; create them with `bulwark keygen --pkcs11`");
        }
        return Identity.onDevice(own, known);
    }

    /**
     * Has the device make a key on P-256 that never leaves it, and a self-signed certificate, valid from now or a little before.
     *
     * @throws IOException if there is such a key already, or the device makes none
     */
    public Identity generate(PrincipalId principal, Duration validity) throws IOException {
        try {
            return make(open(), principal, validity);
        } catch (GeneralSecurityException | ProviderException e) {
            throw failed(e);
        }
    }

    /** As {@link #generate(PrincipalId, Duration)}, with a PIN that a person typed, as {@link #open(char[])} does. */
    public OpenedDevice generate(PrincipalId principal, Duration validity, char[] pin) throws IOException {
        return open(pin, keys -> make(keys, principal, validity));
    }

    private Identity make(KeyStore keys, PrincipalId principal, Duration validity)
            throws IOException, GeneralSecurityException {
        if (keys.containsAlias(alias)) {
            throw new UnusableFileException(
                    "the token \"" + label + "\" has a key \"" + alias + "\"; keys are never replaced");
        }
        Instant now = Instant.now();
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC", keys.getProvider());
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair pair = generator.generateKeyPair();
        X509Certificate certificate = Identity.selfSigned(
                principal, now.minus(Identity.CLOCK_DIFFERENCE_MAX), now.plus(validity), pair, new SecureRandom());
        keys.setKeyEntry(alias, pair.getPrivate(), null, new Certificate[] {certificate});
        return find(keys);
    }

    private KeyStore open() throws IOException, GeneralSecurityException {
        Path file = pinFile.orElseThrow(() -> new UnusableFileException(
                "nobody types the PIN of the token \"" + label + "\" here: add " + PIN_FILE + " to its file"));
        String pin;
        try {
            SecretFile.check(file);
            pin = TextFile.read(file, PIN_BYTES_MAX).strip();
        } catch (NoSuchFileException e) {
            throw new UnusableFileException("there is no PIN at " + file, e);
        }
        KeyStore keys = logIn(provider(), pin.toCharArray());
        synchronized (PROVIDERS) {
            LOGGED_IN.add(name());
        }
        return keys;
    }

    private KeyStore logIn(Provider provider, char[] pin) throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS11", provider);
        try {
            keys.load(null, pin);
        } catch (IOException e) {
            throw isWrongPin(e) ? new WrongPinException("the token \"" + label + "\" refuses the PIN", e) : failed(e);
        }
        return keys;
    }

    private static boolean isWrongPin(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof FailedLoginException) {
                return true;
            }
        }
        return false;
    }

    private Provider provider() throws IOException {
        synchronized (PROVIDERS) {
            Provider known = PROVIDERS.get(name());
            if (known == null) {
                Provider jdk = Security.getProvider("SunPKCS11");
                if (jdk == null) {
                    throw new UnusableFileException("this Java has no provider for PKCS#11");
                }
                long slot = TokenSlots.ofThisJava().slotOf(module, label);
                known = jdk.configure("--" + settings(PROVIDERS.size(), slot));
                // Where a key of it is used, the JDK looks for its provider among these. It is the last of them.
                Security.addProvider(known);
                PROVIDERS.put(name(), known);
            }
            return known;
        }
    }

    /**
     * Returns the provider's settings. Private keys stay in the device; the agreed secrets leave it, as the session
     * keys are derived here.
     */
    private String settings(int number, long slot) {
        return """
            name=bulwark%d
            library=%s
            slot=%d
            attributes(generate,CKO_PRIVATE_KEY,CKK_EC) = {
              CKA_SENSITIVE = true
              CKA_EXTRACTABLE = false
              CKA_SIGN = true
              CKA_DERIVE = true
            }
            attributes(generate,CKO_SECRET_KEY,CKK_GENERIC_SECRET) = {
              CKA_SENSITIVE = false
              CKA_EXTRACTABLE = true
            }
            """.formatted(number, module, slot);
    }

    private IOException failed(Exception e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return new UnusableFileException("the token \"" + label + "\" of " + module + ": " + cause.getMessage(), e);
    }
}
