package io.bulwark.protocol.ordering.log;

import io.bulwark.protocol.ordering.driver.ReplicaConfig;

/** View that a replica is in, or asks for. */
public final class View {
    private final ReplicaConfig config;
    private long number;
    private boolean active;

    public View(ReplicaConfig config, long number, boolean active) {
        this.config = config;
        this.number = number;
        this.active = active;
    }

    public long number() {
        return number;
    }

    /** False while the view change is open: no PRE-PREPARE, PREPARE or COMMIT is sent or counted. */
    public boolean isActive() {
        return active;
    }

    public boolean isActiveIn(long view) {
        return active && view == number;
    }

    public int primary() {
        return config.primary(number);
    }

    public boolean isPrimary() {
        return primary() == config.self();
    }

    public void leaveFor(long next) {
        number = next;
        active = false;
    }

    public void enter(long next) {
        number = next;
        active = true;
    }
}
