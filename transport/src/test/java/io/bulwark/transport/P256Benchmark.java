package io.bulwark.transport;

import com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider;
import io.bulwark.protocol.id.P256;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.Identity;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
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

/** Signatures and key agreement on P-256 by the provider of the platform and by the native one. */
@NullUnmarked
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class P256Benchmark {
    @Param({"platform", "native"})
    private String provider;

    private final Bytes content = Bytes.of(new byte[128]);
    private final Identity own = Identity.generate(TestPrincipals.NODE, new SecureRandom());
    private final Identity other = Identity.generate(TestPrincipals.CLIENT, new SecureRandom());
    private Bytes signature;
    private P256 curve;

    @Setup
    public void choose() {
        curve = provider.equals("native") ? P256.of(AmazonCorrettoCryptoProvider.INSTANCE) : P256.ofPlatform();
        signature = own.sign(content);
    }

    @Benchmark
    public Bytes sign() throws GeneralSecurityException {
        return curve.sign(own.privateKey(), content);
    }

    @Benchmark
    public boolean verify() {
        return curve.verifies(own.publicKey(), content, signature);
    }

    @Benchmark
    public Bytes agree() throws GeneralSecurityException {
        return curve.agree(own.privateKey(), other.publicKey());
    }
}
