package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Canonical bytes of the commands and replies about faulty nodes. */
final class FaultCodec {
    private FaultCodec() {}

    static void write(Command.OfNodeFault command, WireWriter out) {
        switch (command) {
            case Command.ReportPeers report -> Lists.write(report.observations(), out.u8(80), PeerObservation::write);
            case Command.SetFaultPolicy set -> set.policy().write(out.u8(81));
            case Command.ForgiveNode forgive -> out.u8(82).i32(forgive.node());
        }
    }

    static Command read(int type, WireReader in) {
        return switch (type) {
            case 80 -> new Command.ReportPeers(Lists.read(in, Command.OBSERVATIONS_MAX, PeerObservation::read));
            case 81 -> new Command.SetFaultPolicy(FaultPolicy.read(in));
            case 82 -> new Command.ForgiveNode(in.i32(0, Integer.MAX_VALUE));
            default -> throw new MalformedException("unknown command " + type);
        };
    }

    static void write(Reply.NodeFaultList list, WireWriter out) {
        list.policy().write(out.u8(80));
        Lists.write(list.faults(), out, NodeFault::write);
        Lists.write(list.suspicions(), out, Suspicion::write);
    }

    static Reply readReply(WireReader in) {
        return new Reply.NodeFaultList(
                FaultPolicy.read(in),
                Lists.read(in, NodeFaults.NAMED_MAX, NodeFault::read),
                Lists.read(in, Query.PAGE_MAX, Suspicion::read));
    }
}
