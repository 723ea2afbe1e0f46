package io.bulwark.protocol.fp;

/** A node's answers to readers of a block: its latest, and its data of a version. */
final class ReadAnswers {
    private final FpRegister register;

    ReadAnswers(FpRegister register) {
        this.register = register;
    }

    /** Line 1700, with the fragment of the latest where asked. */
    void handle(AdmittedRequest call, FpMessage.FindTimestamp request) {
        Timestamp latest = register.versions().latest();
        VersionRecord record = register.versions().get(latest);
        if (!request.withFragment() || record == null) {
            register.answer(call, new FpMessage.FoundTimestamp(request.target(), latest, null));
        } else {
            register.hold(record, (now, holding) -> {
                register.answer(call, new FpMessage.FoundTimestamp(request.target(), latest, holding));
            });
        }
    }

    /** Lines 1900 to 1902. */
    void handle(AdmittedRequest call, FpMessage.Read request) {
        VersionRecord record = register.versions().byName(request.version());
        if (record == null) {
            register.answer(
                    call,
                    new FpMessage.ReadAnswer(
                            request.target(),
                            request.version(),
                            register.versions().latest(),
                            null));
        } else {
            register.hold(record, (now, holding) -> {
                Timestamp latest = register.versions().latest();
                register.answer(call, new FpMessage.ReadAnswer(request.target(), request.version(), latest, holding));
            });
        }
    }
}
