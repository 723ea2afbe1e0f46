package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.CheckDepth;
import io.bulwark.protocol.extent.ExtentMessage.Complete;
import io.bulwark.protocol.extent.ExtentMessage.Completed;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.Holds;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.NotStored;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.StoreBlock;
import io.bulwark.protocol.extent.ExtentMessage.Supply;
import io.bulwark.protocol.extent.ExtentMessage.Suspect;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.NullMarked;

/** One message of each type and shape, by name. */
@NullMarked
final class SampleMessages {
    private SampleMessages() {}

    static Map<String, ExtentMessage> all() {
        BlockId block = new BlockId(7, PrincipalId.client(3), 9, 0x0102030405L);
        Bytes content = Bytes.of("Bulwark!".getBytes(StandardCharsets.US_ASCII));
        BlockCode code = BlockCode.ofAll(2, 4);
        BlockCode.Encoded encoded = code.encode(content);
        Bytes pin = encoded.fpcc().pin();
        Map<String, ExtentMessage> samples = new LinkedHashMap<>();
        samples.put("STORE", new Store(block, 1, 2, encoded.fragments().get(2), encoded.fpcc()));
        samples.put("STORE_BLOCK", new StoreBlock(block, 2, 3, content, encoded.fpcc()));
        samples.put("SUPPLY", new Supply(block, 2, 1, encoded.fragments().get(1), encoded.fpcc()));
        samples.put("READ_PINNED", new ReadPinned(block, 1, 0, pin, true));
        samples.put("READ_PINNED-light", new ReadPinned(block, 1, 0, pin, false));
        samples.put("SUSPECT", new Suspect(block, 1, 0, pin, 3));
        samples.put("COMPLETE", new Complete(block, 1, 3, pin, CheckDepth.FRAGMENT));
        samples.put("ACKNOWLEDGED", new Acknowledged(block, 1));
        samples.put("NOT_STORED", new NotStored(block, 5, StoreRefusal.LIMIT));
        samples.put(
                "FOUND", new Found(block, 1, encoded.fpcc(), encoded.fragments().get(1), true));
        ExtentCoding pasis = ExtentCoding.of(ProtectionPolicy.pasis(1, 2, 5, 512, Verification.LAZY));
        ExtentCoding.Encoded all = pasis.encode(content);
        samples.put("STORE-pasis", new Store(block, 1, 4, all.fragments().get(4), all.checksum()));
        samples.put(
                "FOUND-pasis",
                new Found(block, 1, all.checksum(), all.fragments().get(4), false));
        samples.put("COMPLETE-others", new Complete(block, 1, 3, pin, CheckDepth.OTHERS));
        samples.put("HOLDS", new Holds(block, 1));
        samples.put("NOT_FOUND", new NotFound(block, 1, ReadRefusal.DAMAGED));
        samples.put("COMPLETED", new Completed(block, 1, CompletionResult.REPAIRED));
        return samples;
    }
}
