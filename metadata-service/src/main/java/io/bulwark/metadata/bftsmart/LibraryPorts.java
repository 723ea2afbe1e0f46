package io.bulwark.metadata.bftsmart;

import bftsmart.communication.ServerCommunicationSystem;
import bftsmart.communication.SystemMessage;
import bftsmart.communication.server.ServerConnection;
import bftsmart.communication.server.ServersCommunicationLayer;
import bftsmart.tom.ServiceReplica;
import bftsmart.tom.core.messages.TOMMessage;
import bftsmart.tom.leaderchange.CertifiedDecision;
import io.bulwark.protocol.wire.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Hashtable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the library's sockets, its client port and its replies. The classes below are made without running a
 * constructor ({@link Instantiator}); their required fields are set afterwards.
 */
final class LibraryPorts {
    /** Connections of the library's consensus. */
    interface Ends {
        /** Sends to another replica, by the library's number. */
        void send(int process, Bytes message);

        /** Hands a message to the own consensus. */
        void loopBack(SystemMessage message);

        void decided(TOMMessage[] requests);
    }

    /** Authenticates nothing: the proofs of a leader change are as good as the connections they come over. */
    private static final SecretKey PROOF_KEY =
            new SecretKeySpec("bulwark-bft-smart".getBytes(StandardCharsets.US_ASCII), "HmacMD5");

    private LibraryPorts() {}

    static Bytes serialize(SystemMessage message) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(message);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Bytes.of(bytes.toByteArray());
    }

    /** Takes the library's messages. */
    static final class Communication extends ServerCommunicationSystem {
        private @Nullable Ends ends;
        private @Nullable Connections connections;
        private int self;

        private Communication() throws Exception {
            super(null, null);
        }

        static Communication of(int self, int processes, Ends ends) {
            Communication made = Instantiator.make(Communication.class);
            made.self = self;
            made.ends = ends;
            made.connections = Connections.of(self, processes, ends);
            return made;
        }

        @Override
        public void send(int[] targets, SystemMessage message) {
            Ends open = ends;
            if (open == null || message instanceof TOMMessage) {
                // Replies to clients of the library's own: it has none.
                return;
            }
            @Nullable Bytes serialized = null;
            for (int target : targets) {
                if (target == self) {
                    message.authenticated = true;
                    open.loopBack(message);
                } else {
                    serialized = serialized == null ? serialize(message) : serialized;
                    open.send(target, serialized);
                }
            }
        }

        @Override
        public ServersCommunicationLayer getServersConn() {
            Connections made = connections;
            if (made == null) {
                throw new IllegalStateException("not connected");
            }
            return made;
        }

        @Override
        public void shutdown() {
            // There is nothing to shut: the connections are the transport's.
        }
    }

    /** ACCEPT messages go this way, past the communication system. */
    static final class Connections extends ServersCommunicationLayer {
        private Connections() throws Exception {
            super(null, null, null);
        }

        @SuppressWarnings("JdkObsolete") // The library's field is a Hashtable.
        static Connections of(int self, int processes, Ends ends) {
            Connections made = Instantiator.make(Connections.class);
            Hashtable<Integer, ServerConnection> connections = new Hashtable<>();
            for (int process = 0; process < processes; process++) {
                if (process != self) {
                    connections.put(process, Connection.of(process, ends));
                }
            }
            Class<?> declaring = ServersCommunicationLayer.class;
            Instantiator.set(declaring, made, "connections", connections);
            Instantiator.set(declaring, made, "connectionsLock", new ReentrantLock());
            Instantiator.set(declaring, made, "me", self);
            return made;
        }

        @Override
        public SecretKey getSecretKey(int id) {
            return PROOF_KEY;
        }
    }

    private static final class Connection {
        private Connection() {}

        static ServerConnection of(int process, Ends ends) {
            ServerConnection made = Instantiator.make(ServerConnection.class);
            Instantiator.set(ServerConnection.class, made, "useSenderThread", true);
            Instantiator.set(ServerConnection.class, made, "outQueue", new OutQueue(process, ends));
            return made;
        }
    }

    private static final class OutQueue extends LinkedBlockingQueue<byte[]> {
        private static final long serialVersionUID = 1L;

        private final int process;
        private final transient Ends ends;

        private OutQueue(int process, Ends ends) {
            this.process = process;
            this.ends = ends;
        }

        @Override
        public boolean offer(byte[] data) {
            ends.send(process, Bytes.of(data));
            return true;
        }
    }

    /** Takes the decisions. */
    static final class Receiver extends ServiceReplica {
        private @Nullable Ends ends;

        private Receiver() {
            super(null, null, null, null, null);
        }

        static Receiver of(Ends ends) {
            Receiver made = Instantiator.make(Receiver.class);
            made.ends = ends;
            return made;
        }

        @Override
        public void receiveMessages(
                int[] numbers, int[] regencies, int[] leaders, CertifiedDecision[] decisions, TOMMessage[][] requests) {
            Ends open = ends;
            if (open != null) {
                for (TOMMessage[] batch : requests) {
                    open.decided(batch);
                }
            }
        }
    }
}
