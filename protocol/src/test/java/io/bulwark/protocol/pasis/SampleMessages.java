package io.bulwark.protocol.pasis;

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
    static final Target TARGET = new Target(BlockId.register(7, 42), 1, 3);
    static final ValidatingTimestamp VERSION = ValidatingTimestamp.of(
            0x0102030405060708L, PrincipalId.client(6), List.of(filled(2, 1), filled(2, 2), filled(2, 3)));

    private SampleMessages() {}

    static Map<String, PasisMessage> all() {
        Map<String, PasisMessage> all = new LinkedHashMap<>();
        VersionName name = VERSION.name();
        ValidatingTimestamp none = ValidatingTimestamp.NONE;
        List<PasisMessage.Entry> two = List.of(
                new PasisMessage.Entry(VERSION, false),
                new PasisMessage.Entry(ValidatingTimestamp.of(1, PrincipalId.NOBODY, List.of(filled(2, 4))), true));
        all.put("find-time", new PasisMessage.FindTime(TARGET));
        all.put("found-time", new PasisMessage.FoundTime(TARGET, -1));
        all.put("write", new PasisMessage.Write(TARGET, 5, VERSION, filled(2, 7)));
        all.put("written", new PasisMessage.Written(TARGET, name));
        all.put("read", new PasisMessage.Read(TARGET, none, true, null));
        all.put("read-awaiting", new PasisMessage.Read(TARGET, VERSION, false, name));
        all.put("no-history", new PasisMessage.History(TARGET, none, List.of(), false, none, null));
        all.put("history", new PasisMessage.History(TARGET, VERSION, two, true, VERSION, filled(2, 9)));
        all.put("read-fragment", new PasisMessage.ReadFragment(TARGET, name));
        all.put("fragment", new PasisMessage.Fragment(TARGET, name, PasisMessage.Held.HELD, filled(2, 9), none));
        all.put(
                "no-fragment",
                new PasisMessage.Fragment(TARGET, name, PasisMessage.Held.NOT_HELD, Bytes.EMPTY, VERSION));
        all.put("repair", new PasisMessage.Repair(TARGET, VERSION));
        all.put("repaired", new PasisMessage.Repaired(TARGET, name));
        all.put("notify", new PasisMessage.Notify(TARGET, VERSION, true));
        all.put("refused", new PasisMessage.Refused(TARGET, RequestKind.WRITE, name, PasisRefusal.FAR, 1));
        all.put(
                "refused-nothing",
                new PasisMessage.Refused(TARGET, RequestKind.READ, null, PasisRefusal.OTHER_EPOCH, 2));
        return all;
    }

    static Bytes filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return Bytes.of(bytes);
    }
}
