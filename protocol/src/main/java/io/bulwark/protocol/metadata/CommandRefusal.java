package io.bulwark.protocol.metadata;

/** CommandRefusal of a command or query. Thrown only while nothing has been changed yet, but for rounds that open. */
final class CommandRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int DETAIL_LENGTH_MAX = 250;

    private final MetadataError error;
    private final String detail;

    CommandRefusal(MetadataError error, String detail) {
        super(error + ": " + detail, null, false, false);
        this.error = error;
        this.detail = detail.substring(0, Math.min(detail.length(), DETAIL_LENGTH_MAX));
    }

    static void refuseUnless(boolean condition, MetadataError error, String detail) {
        if (!condition) {
            throw new CommandRefusal(error, detail);
        }
    }

    Reply.Failed reply() {
        return new Reply.Failed(error, detail);
    }
}
