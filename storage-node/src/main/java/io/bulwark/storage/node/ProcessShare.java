package io.bulwark.storage.node;

/** Parts that the nodes of a process share. */
public record ProcessShare(ForegroundClock foreground, OperationMemory memory) {
    /** Returns the share of a new process. */
    public static ProcessShare create() {
        return new ProcessShare(new ForegroundClock(), OperationMemory.ofHeap());
    }
}
