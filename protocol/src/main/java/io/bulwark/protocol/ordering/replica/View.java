package io.bulwark.protocol.ordering.replica;

/** View that a replica is in, or asks for. */
final class View {
    private final ReplicaConfig config;
    private long number;
    private boolean active;

    View(ReplicaConfig config, long number, boolean active) {
        this.config = config;
        this.number = number;
        this.active = active;
    }

    long number() {
        return number;
    }

    /** False while the view change is open: no PRE-PREPARE, PREPARE or COMMIT is sent or counted. */
    boolean isActive() {
        return active;
    }

    boolean isActiveIn(long view) {
        return active && view == number;
    }

    int primary() {
        return config.primary(number);
    }

    boolean isPrimary() {
        return primary() == config.self();
    }

    void leaveFor(long next) {
        number = next;
        active = false;
    }

    void enter(long next) {
        number = next;
        active = true;
    }
}
