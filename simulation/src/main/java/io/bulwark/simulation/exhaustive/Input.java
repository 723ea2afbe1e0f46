package io.bulwark.simulation.exhaustive;

/**
 * One step of one party.
 *
 * @param message the number of the message delivered, 0 for the other kinds
 * @param choice index of the lie in the menu
 */
record Input(Kind kind, int message, int choice) {
    enum Kind {
        /** An operation begins, or a node starts. */
        BEGIN,
        DELIVER,
        TICK,
        CRASH,
        /** The oldest disk operation is done. */
        DISK,
        /** The node is told its next fact. */
        FACT
    }
}
