package io.bulwark.protocol.fp;

import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.wire.Bytes;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;

/** One message of each kind, and those whose encodings differ in shape. */
@NullMarked
final class SampleMessages {
    private static final Target TARGET = new Target(BlockId.register(7, 42), 1, 3);
    private static final Fpcc FPCC =
            new BlockCode(2, 1, 4).encode(Bytes.of(new byte[] {1, 2, 3, 4})).fpcc();
    private static final Timestamp LATEST = new Timestamp(0x0102030405060708L, FPCC);
    private static final Version VERSION = LATEST.version();

    private SampleMessages() {}

    static Map<String, FpMessage> all() {
        Map<String, FpMessage> all = new LinkedHashMap<>();
        Bytes nonce = filled(32, 0xA1);
        Bytes mac = filled(16, 0xB2);
        List<HeldVersion.SlotNonce> nonces =
                List.of(new HeldVersion.SlotNonce(0, nonce), new HeldVersion.SlotNonce(254, filled(32, 0xA2)));
        HeldVersion whole = new HeldVersion(Bytes.of(new byte[] {9, 9}), cc(), filled(32, 0xC3), nonces, false);
        HeldVersion lost = new HeldVersion(null, null, filled(32, 0xC3), List.of(), true);
        all.put("prepare-fragment", new FpMessage.PrepareFragment(TARGET, 5, 0, FPCC, Bytes.of(new byte[] {7, 8})));
        all.put("prepare-block", new FpMessage.PrepareBlock(TARGET, 5, -1, FPCC, Bytes.of(new byte[] {1, 2, 3, 4})));
        all.put("prepared", new FpMessage.Prepared(TARGET, VERSION, nonce, List.of(mac, mac)));
        all.put("commit", new FpMessage.Commit(TARGET, 7, 9, FPCC, List.of(new FpMessage.PrepareMac(2, nonce, mac))));
        all.put("committed", new FpMessage.Committed(TARGET, VERSION));
        all.put("find-timestamp", new FpMessage.FindTimestamp(TARGET, true));
        all.put("found-nothing", new FpMessage.FoundTimestamp(TARGET, Timestamp.NONE, null));
        all.put("found-timestamp", new FpMessage.FoundTimestamp(TARGET, LATEST, whole));
        all.put("read", new FpMessage.Read(TARGET, VERSION));
        all.put("read-answer", new FpMessage.ReadAnswer(TARGET, VERSION, LATEST, lost));
        all.put("repair", new FpMessage.Repair(TARGET, LATEST));
        all.put("repair-answer", new FpMessage.RepairAnswer(TARGET, Timestamp.NONE));
        all.put("ask-repair-mac", new FpMessage.AskRepairMac(TARGET, LATEST));
        all.put("repair-mac", new FpMessage.RepairMac(TARGET, VERSION, nonce, mac));
        all.put("ask-leftover", new FpMessage.AskLeftover(TARGET, PrincipalId.client(6), 5, LATEST));
        all.put(
                "leftover",
                new FpMessage.Leftover(TARGET, VERSION, FpMessage.LeftoverState.NEVER_PREPARED, Timestamp.NONE));
        all.put(
                "leftover-revoked",
                new FpMessage.Leftover(TARGET, VERSION, FpMessage.LeftoverState.REFUSED, Timestamp.NONE));
        all.put("proven", new FpMessage.Proven(TARGET, VERSION));
        all.put("refused", new FpMessage.Refused(TARGET, RequestKind.PREPARE, 9, FpRefusal.FAR, 1));
        return all;
    }

    private static List<Bytes> cc() {
        return List.of(filled(32, 1), filled(32, 2), filled(32, 3), filled(32, 4));
    }

    static Bytes filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return Bytes.of(bytes);
    }
}
