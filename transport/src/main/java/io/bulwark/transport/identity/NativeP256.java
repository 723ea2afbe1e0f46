package io.bulwark.transport.identity;

import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import io.bulwark.protocol.id.P256;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import java.security.GeneralSecurityException;
import java.security.Provider;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads the provider that computes on P-256 in native code, for processes that sign or verify a thousand times: others do
 * not earn the load back (docs/decisions/0031-fast-signatures.md). The provider is not installed in the Java platform.
 */
public final class NativeP256 {
    private static final Logger LOG = LoggerFactory.getLogger(NativeP256.class);
    private static final AtomicBoolean REQUESTED = new AtomicBoolean();

    /** The signature of "sample" in RFC 6979, A.2.5. */
    private static final PrincipalKey SAMPLE_KEY =
            new PrincipalKey(hex("3059301306072a8648ce3d020106082a8648ce3d03010703420004"
                    + "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
                    + "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"));

    private static final Bytes SAMPLE = hex("73616d706c65");
    private static final Bytes SAMPLE_SIGNATURE = hex("efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
            + "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8");

    private NativeP256() {}

    /**
     * Has this process use the provider as soon as it is loaded, which happens once and in the background. Until then, and
     * where it does not load, the provider of the Java platform serves.
     */
    public static void request() {
        if (REQUESTED.compareAndSet(false, true)) {
            Thread.ofPlatform().daemon().name("bulwark-native-p256").start(NativeP256::choose);
        }
    }

    private static void choose() {
        try {
            P256.choose(load());
            LOG.info("signatures are computed by {}", P256.chosen());
        } catch (GeneralSecurityException | RuntimeException | LinkageError e) {
            LOG.info(
                    "signatures are computed by {}, since the native one does not load here: {}",
                    P256.chosen(),
                    e.getMessage());
        }
    }

    /**
     * Loads the provider and verifies a signature with it.
     *
     * @throws GeneralSecurityException if its native part is for another platform, cannot be unpacked, or is wrong
     * @throws LinkageError if its classes are missing
     */
    static P256 load() throws GeneralSecurityException {
        P256 loaded = P256.of(Library.load());
        if (!loaded.verifies(SAMPLE_KEY, SAMPLE, SAMPLE_SIGNATURE)) {
            throw new GeneralSecurityException(loaded + " does not verify a known signature");
        }
        return loaded;
    }

    /** A class of its own, since applications may leave the library out. */
    private static final class Library {
        private Library() {}

        static Provider load() throws GeneralSecurityException {
            Throwable error = AmazonCorrettoCryptoProvider.INSTANCE.getLoadingError();
            if (error != null) {
                throw new GeneralSecurityException(error.toString(), error);
            }
            return AmazonCorrettoCryptoProvider.INSTANCE;
        }
    }

    private static Bytes hex(String text) {
        return Bytes.of(HexFormat.of().parseHex(text));
    }
}
