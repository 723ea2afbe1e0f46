package io.bulwark.protocol.fp;

import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Fingerprint;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/** A cross-checksum whose hash of one slot is wrong, with which all other fragments are consistent: a poisonous write. */
@NullMarked
final class Poison {
    private Poison() {}

    static Fpcc of(BlockCode code, BlockCode.Encoded encoded, int slot) {
        List<Bytes> cc = new ArrayList<>(encoded.fpcc().cc());
        cc.set(slot, SampleMessages.filled(Hashes.LENGTH, 0x66));
        int length = encoded.fpcc().length();
        List<Bytes> parts = new ArrayList<>(cc);
        parts.add(new WireWriter(4).i32(length).toBytes());
        Fingerprint function =
                Fingerprint.at(Hashes.sha256(parts.toArray(Bytes[]::new)).slice(0, Fingerprint.LENGTH));
        List<Bytes> data = encoded.fragments().subList(0, code.erasureCode().dataFragments());
        return Fpcc.of(length, cc, data.stream().map(function::of).toList());
    }
}
