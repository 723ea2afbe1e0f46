package io.bulwark.metadata.bftsmart;

import bftsmart.clientsmanagement.ClientsManager;
import bftsmart.clientsmanagement.RequestList;
import bftsmart.communication.MessageHandler;
import bftsmart.communication.SystemMessage;
import bftsmart.consensus.messages.MessageFactory;
import bftsmart.consensus.roles.Acceptor;
import bftsmart.consensus.roles.Proposer;
import bftsmart.reconfiguration.ServerViewController;
import bftsmart.reconfiguration.util.HostsConfig;
import bftsmart.reconfiguration.util.TOMConfiguration;
import bftsmart.reconfiguration.views.MemoryBasedViewStorage;
import bftsmart.tom.core.ExecutionManager;
import bftsmart.tom.core.TOMLayer;
import bftsmart.tom.core.messages.ForwardedMessage;
import bftsmart.tom.core.messages.TOMMessage;
import bftsmart.tom.core.messages.TOMMessageType;
import bftsmart.tom.server.RequestVerifier;
import java.util.Properties;

/** The library's consensus of one replica, put together without its sockets. Processes are numbered as it does. */
final class Consensus {
    /** The library's number of the client as which a replica orders. */
    static final int CLIENT_BASE = 1_000;

    /** Sender of the request that fills a proposal which would be empty. */
    static final int FILLER_BASE = 2_000;

    private static final int HIGH_MARK = 100;
    private static final int BATCH_REQUESTS_MAX = 32;
    private static final SharedRsaKey KEY = new SharedRsaKey();

    private final int self;
    private final int[] everyone;
    private final LibraryPorts.Communication communication;
    private final Handler handler = new Handler();
    private final TOMLayer layer;
    private final ExecutionManager executions;
    private int sequence;

    Consensus(int self, int processes, int requestTimeoutMillis, LibraryPorts.Ends ends, Runnable lost) {
        this.self = self;
        this.everyone = new int[processes];
        for (int process = 0; process < processes; process++) {
            everyone[process] = process;
        }
        TOMConfiguration configuration =
                new TOMConfiguration(self, properties(processes, requestTimeoutMillis), hosts(processes));
        configuration.setRsaLoader(KEY);
        ServerViewController views = new ServerViewController(configuration, new MemoryBasedViewStorage());
        this.communication = LibraryPorts.Communication.of(self, processes, ends);
        MessageFactory messages = new MessageFactory(self);
        Acceptor acceptor = new Acceptor(communication, messages, views);
        Proposer proposer = new Proposer(communication, messages, views);
        this.executions = new ExecutionManager(views, acceptor, proposer, self);
        acceptor.setExecutionManager(executions);
        RequestVerifier all = request -> true;
        this.layer = new TOMLayer(
                executions,
                LibraryPorts.Receiver.of(ends),
                new NoStateTransfer(lost),
                acceptor,
                communication,
                views,
                all);
        layer.clientsManager = new NeverEmpty(views, layer, all, self);
        executions.setTOMLayer(layer);
        views.setTomLayer(layer);
        acceptor.setTOMLayer(layer);
        handler.setAcceptor(acceptor);
        handler.setTOMLayer(layer);
    }

    void start() {
        layer.start();
    }

    /** Has a request ordered; returns the number it got. */
    int order(byte[] content) {
        int number = sequence++;
        TOMMessage request = request(CLIENT_BASE + self, number, content);
        communication.send(everyone, new ForwardedMessage(self, request));
        return number;
    }

    /** One thread calls this. */
    void process(SystemMessage message) {
        handler.process(message);
    }

    /** Must be called by the same thread when it has nothing else to do. */
    void idle() {
        handler.idle();
    }

    int leader() {
        return executions.getCurrentLeader();
    }

    /** Ends its threads, as far as they listen: they may miss the signal, hence this may be called again. */
    boolean shutDown() {
        layer.shutdown();
        return !layer.isAlive() && !layer.getDeliveryThread().isAlive();
    }

    static TOMMessage request(int sender, int number, byte[] content) {
        TOMMessage request = new TOMMessage(sender, 1, number, number, content, 0, TOMMessageType.ORDERED_REQUEST);
        request.serializedMessage = TOMMessage.messageToBytes(request);
        return request;
    }

    private static Properties properties(int processes, int requestTimeoutMillis) {
        Properties properties = new Properties();
        properties.setProperty("system.servers.num", Integer.toString(processes));
        properties.setProperty("system.servers.f", Integer.toString(processes / 3));
        properties.setProperty("system.bft", "true");
        properties.setProperty("system.totalordermulticast.timeout", Integer.toString(requestTimeoutMillis));
        properties.setProperty("system.totalordermulticast.highMark", Integer.toString(HIGH_MARK));
        properties.setProperty("system.totalordermulticast.revival_highMark", Integer.toString(HIGH_MARK));
        properties.setProperty("system.totalordermulticast.timeout_highMark", Integer.toString(HIGH_MARK));
        properties.setProperty("system.totalordermulticast.maxbatchsize", Integer.toString(BATCH_REQUESTS_MAX));
        properties.setProperty("system.totalordermulticast.state_transfer", "true");
        properties.setProperty("system.communication.useMACs", "1");
        properties.setProperty("system.communication.useSignatures", "0");
        return properties;
    }

    /** Addresses that nobody connects to. */
    private static HostsConfig hosts(int processes) {
        HostsConfig hosts = new HostsConfig();
        for (int process = 0; process < processes; process++) {
            hosts.add(process, "127.0.0.1", 1 + process);
        }
        return hosts;
    }

    private static final class Handler extends MessageHandler {
        private void process(SystemMessage message) {
            processData(message);
        }

        private void idle() {
            verifyPending();
        }
    }

    /** A proposal without requests would end the proposing thread, or lose decisions where it is delivered. */
    private static final class NeverEmpty extends ClientsManager {
        private final int self;
        private int fillers;

        private NeverEmpty(ServerViewController views, TOMLayer layer, RequestVerifier verifier, int self) {
            super(views, layer.requestsTimer, verifier);
            this.self = self;
        }

        @Override
        public RequestList getPendingRequests() {
            RequestList pending = super.getPendingRequests();
            if (pending.isEmpty()) {
                synchronized (this) {
                    pending.addLast(request(FILLER_BASE + self, fillers++, new byte[0]));
                }
            }
            return pending;
        }
    }
}
