package io.bulwark.protocol.fp;

/**
 * Answers to peers about a version that a session left staged there: whether it can ever be committed, as far as the
 * node knows.
 */
final class OrphanPollAnswers {
    private final FpRegister register;
    private final FpNode node;

    OrphanPollAnswers(FpRegister register, FpNode node) {
        this.register = register;
        this.node = node;
    }

    void handle(long nowMillis, AdmittedRequest call, FpMessage.AskLeftover request) {
        FpAccess.SessionKey session =
                new FpAccess.SessionKey(register.block().volume(), request.owner(), request.session());
        FpMessage.LeftoverState state = state(request, session);
        // The asker asks again, and may have invented the session.
        if (state == FpMessage.LeftoverState.SESSION_NOT_CLOSED
                && node.closureRate().allow(nowMillis, call.from())) {
            node.access().askClosure(nowMillis, session);
        }
        register.answer(
                call,
                new FpMessage.Leftover(
                        request.target(),
                        request.version().version(),
                        state,
                        register.versions().latest()));
    }

    private FpMessage.LeftoverState state(FpMessage.AskLeftover request, FpAccess.SessionKey session) {
        Timestamp version = request.version();
        VersionRecord record = register.versions().get(version);
        if (!version.isAfter(register.versions().latest())) {
            return FpMessage.LeftoverState.COMMITTED_OR_OVERWRITTEN;
        }
        if (!node.access().closed(session)) {
            return FpMessage.LeftoverState.SESSION_NOT_CLOSED;
        }
        if (record == null) {
            return FpMessage.LeftoverState.NEVER_PREPARED;
        }
        return record.isVouchedFor() ? FpMessage.LeftoverState.PROVEN : FpMessage.LeftoverState.REFUSED;
    }
}
