package io.bulwark.transport;

import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.Security;
import java.util.concurrent.TimeUnit;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Hashes, MACs and encryption as the product computes them, by the JDK's providers and by the native one. */
@NullUnmarked
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class ProviderBenchmark {
    @Param({"jdk", "native"})
    private String provider;

    @Param({"64", "4096", "1048576"})
    private int length;

    private final SecretKeySpec key = new SecretKeySpec(new byte[32], "AES");
    private Provider hashing;
    private Provider ciphers;
    private byte[] content;
    private Mac keyed;
    private long nonce;

    @Setup
    public void fill() throws GeneralSecurityException {
        boolean isNative = provider.equals("native");
        hashing = isNative ? AmazonCorrettoCryptoProvider.INSTANCE : Security.getProvider("SUN");
        ciphers = isNative ? AmazonCorrettoCryptoProvider.INSTANCE : Security.getProvider("SunJCE");
        content = new byte[length];
        keyed = Mac.getInstance("HmacSHA256", ciphers);
        keyed.init(new SecretKeySpec(new byte[32], "HmacSHA256"));
    }

    @Benchmark
    public byte[] sha256() throws GeneralSecurityException {
        return MessageDigest.getInstance("SHA-256", hashing).digest(content);
    }

    /** One for each message, as threads share the keyed one. */
    @Benchmark
    public byte[] hmac() throws GeneralSecurityException, CloneNotSupportedException {
        return ((Mac) keyed.clone()).doFinal(content);
    }

    @Benchmark
    public byte[] aesGcm() throws GeneralSecurityException {
        byte[] fresh = new byte[12];
        for (int i = 0; i < Long.BYTES; i++) {
            fresh[i] = (byte) (nonce >>> (8 * i));
        }
        nonce++;
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding", ciphers);
        cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, fresh));
        return cipher.doFinal(content);
    }
}
