package io.bulwark.protocol.fp;

import io.bulwark.protocol.wire.Bytes;

/** Answers of a node to peers and readers that ask it for repair. */
final class RepairAnswers {
    private final FpRegister register;
    private final FpNode node;

    RepairAnswers(FpRegister register, FpNode node) {
        this.register = register;
        this.node = node;
    }

    void handle(long nowMillis, AdmittedRequest call, FpMessage.Repair request) {
        boolean begun = !call.judged()
                && register.group().fits(request.wanted())
                && !register.versions().latest().isAfter(request.wanted())
                && register.repair()
                        .request(
                                nowMillis,
                                call.from(),
                                request.wanted(),
                                false,
                                now -> register.call(now, call.afterRepair()));
        if (!begun) {
            register.answer(
                    call,
                    new FpMessage.RepairAnswer(
                            request.target(), register.versions().latest()));
        }
    }

    /**
     * Returns a {@code repair} MAC only for a version whose fragment this node keeps durably, and that its own READ has
     * proven (then it is tagged so) or that it has committed: m + f prepares prove more than READ does. A staged copy
     * is not enough. For a proven version without room the node answers that it is proven: others exceed their room for
     * it, and so does this node.
     */
    void handle(long nowMillis, AdmittedRequest call, FpMessage.AskRepairMac request) {
        Timestamp version = request.version();
        if (register.versions().latest().isAfter(version)) {
            register.answer(
                    call,
                    new FpMessage.RepairAnswer(
                            request.target(), register.versions().latest()));
            return;
        }
        if (register.group().fits(version)) {
            register.proofs().asked(register.group().slotOf(call.from()), version);
        }
        VersionRecord record = register.versions().get(version);
        if (record != null
                && record.isVouchedFor()
                && register.versions().holds(version)
                && node.keys().knows(call.from())) {
            Bytes nonce = register.nonce(version);
            Bytes input = PrepareTag.input(
                    register.target(), register.group().slotOf(call.from()), PrepareTag.REPAIR, 0, version, nonce);
            Bytes mac = node.keys().mac(call.from(), input);
            register.answer(call, new FpMessage.RepairMac(request.target(), version.version(), nonce, mac));
            return;
        }
        boolean proven = register.proofs().isWithoutRoom(version) || register.isProvenByPeers(version);
        if (proven) {
            register.answer(call, new FpMessage.Proven(request.target(), version.version()));
        }
        boolean begun = !call.judged()
                && register.group().fits(version)
                && register.repair()
                        .request(nowMillis, call.from(), version, true, now -> register.call(now, call.afterRepair()));
        if (!begun && !proven) {
            register.refuse(call, FpRefusal.NOT_PROVEN);
        }
    }
}
