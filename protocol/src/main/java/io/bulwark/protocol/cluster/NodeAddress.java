package io.bulwark.protocol.cluster;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Address at which a storage node listens. */
public record NodeAddress(int node, String host, int port) {
    public static final int HOST_BYTES_MAX = 255;

    public NodeAddress {
        if (node < 0 || host.isEmpty() || port < 1 || port > 65_535) {
            throw new IllegalArgumentException("node " + node + " at " + host + ":" + port);
        }
    }

    public void write(WireWriter out) {
        out.i32(node).string(host).u16(port);
    }

    public static NodeAddress read(WireReader in) {
        try {
            return new NodeAddress(in.i32(), in.string(HOST_BYTES_MAX), in.u16());
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}
