package io.bulwark.appliance.transfer;

/**
 * Settings of a transfer.
 *
 * @param parallel number of files at once
 * @param filter of paths
 * @param checksum whether contents are compared instead of times
 * @param limits for the bytes per second
 */
public record TransferSettings(int parallel, TreeFilter filter, boolean checksum, RateLimit.Both limits) {
    public static TransferSettings ofParallel(int files) {
        return new TransferSettings(files, TreeFilter.ALL, false, RateLimit.Both.NONE);
    }

    public TransferSettings withFilter(TreeFilter other) {
        return new TransferSettings(parallel, other, checksum, limits);
    }

    public TransferSettings withChecksum(boolean comparing) {
        return new TransferSettings(parallel, filter, comparing, limits);
    }
}
