package io.bulwark.appliance.admin;

import io.micrometer.core.instrument.MeterRegistry;

/** A member that runs in this process, as whoever watches over it sees it. */
public interface MonitoredMember extends AutoCloseable {
    /** Returns text such as {@code node-3}. */
    String name();

    /** Empty if it does its work for others now, else what hinders it. Asks as its clients would, and may take seconds. */
    String problem() throws Exception;

    /** Empty unless only a new start can help it; else why. */
    String broken();

    /** Its meters, each with its name as the tag {@code member}. */
    MeterRegistry meters();

    /** Accepts no more requests, finishes those in flight, hands over leadership, and stops. */
    @Override
    void close();
}
