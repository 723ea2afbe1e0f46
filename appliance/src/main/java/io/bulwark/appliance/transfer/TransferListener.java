package io.bulwark.appliance.transfer;

/** Receives the progress of a transfer, from several threads. */
public interface TransferListener {
    TransferListener NONE = new TransferListener() {
        @Override
        public void onBytes(long count) {}

        @Override
        public void onFile() {}
    };

    /** Adds bytes that have moved, or need not move. */
    void onBytes(long count);

    /** Adds a file that is done, with success or without. */
    void onFile();
}
