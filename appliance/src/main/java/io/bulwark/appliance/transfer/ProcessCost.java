package io.bulwark.appliance.transfer;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Processor time and heap allocation of this process since its start, all threads included.
 *
 * @param processorSeconds time in user and system mode
 * @param allocatedBytes bytes of all objects that were allocated, those collected since included
 */
public record ProcessCost(double processorSeconds, long allocatedBytes) {
    /** Returns the cost so far. */
    public static ProcessCost now() {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
        return new ProcessCost(system.getProcessCpuTime() / 1e9, threads.getTotalThreadAllocatedBytes());
    }

    ProcessCost minus(ProcessCost earlier) {
        return new ProcessCost(processorSeconds - earlier.processorSeconds, allocatedBytes - earlier.allocatedBytes);
    }
}
