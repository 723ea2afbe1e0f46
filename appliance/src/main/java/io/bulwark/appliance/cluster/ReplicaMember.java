package io.bulwark.appliance.cluster;

/** A metadata replica, which can recover if its ordering engine lets it. */
public interface ReplicaMember extends Member {
    /** Stops it and starts it again so that it recovers, as the watchdog has it. */
    void recover() throws Exception;
}
