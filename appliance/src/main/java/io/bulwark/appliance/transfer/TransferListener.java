package io.bulwark.appliance.transfer;

/** Is told how a transfer proceeds, from several threads. */
public interface TransferListener {
    TransferListener NONE = new TransferListener() {
        @Override
        public void onBytes(long count) {}

        @Override
        public void onFile() {}
    };

    /** So many more bytes have moved, or need not move. */
    void onBytes(long count);

    /** One more file is done, with success or without. */
    void onFile();
}
