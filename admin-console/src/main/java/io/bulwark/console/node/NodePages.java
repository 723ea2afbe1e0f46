package io.bulwark.console.node;

import io.bulwark.console.http.ApiException;
import io.bulwark.console.job.Job;
import io.bulwark.console.live.ChangeLog;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** {@code /nodes}: the list, a node, and the dialogs that show a plan before an action. */
@Controller
class NodePages {
    private static final String NOTICE = "node/dialogs :: done";

    private final NodeInventory inventory;
    private final NodeChanges changes;
    private final Drills drills;
    private final ChangeLog log;

    NodePages(NodeInventory inventory, NodeChanges changes, Drills drills, ChangeLog log) {
        this.log = log;
        this.inventory = inventory;
        this.changes = changes;
        this.drills = drills;
    }

    @GetMapping("/nodes")
    String list(Model model) {
        model.addAttribute("view", inventory.recent());
        return "node/nodes";
    }

    @GetMapping("/nodes/part")
    String listPart(Model model) {
        model.addAttribute("view", inventory.recent());
        return "node/nodes :: part";
    }

    @GetMapping("/nodes/{node}")
    String page(@PathVariable String node, Model model) {
        fill(Inputs.node("node", node), model);
        return "node/node";
    }

    @GetMapping("/nodes/{node}/part")
    String part(@PathVariable String node, Model model) {
        fill(Inputs.node("node", node), model);
        return "node/node :: part";
    }

    /** Shows the plan in a dialog. */
    @GetMapping("/nodes/{node}/plan")
    String plan(
            @PathVariable String node,
            @RequestParam String action,
            @RequestParam(required = false) @Nullable String by,
            @RequestParam(required = false) @Nullable String volume,
            Model model) {
        int number = Inputs.node("node", node);
        model.addAttribute("plan", changes.plan(NodeApi.request(action, number, by, volume)));
        model.addAttribute("action", action);
        model.addAttribute("name", "node-" + number);
        model.addAttribute("by", by == null ? "" : by);
        model.addAttribute("volume", volume == null ? "" : volume);
        // A fill endangers nothing that a click could not end; the others ask for the name.
        model.addAttribute("asksName", !action.equals("add"));
        return "node/dialogs :: plan";
    }

    @GetMapping("/nodes/{node}/removal")
    String removal(@PathVariable String node, Model model) {
        NodeInventory.Inventory now = inventory.now();
        model.addAttribute("node", now.node(Inputs.node("node", node)));
        model.addAttribute("version", now.version());
        return "node/dialogs :: removal";
    }

    @PostMapping("/nodes/{node}/move")
    String move(
            @PathVariable String node,
            @RequestParam String action,
            @RequestParam(required = false) @Nullable String by,
            @RequestParam(required = false) @Nullable String volume,
            @RequestParam String version,
            @RequestParam(defaultValue = "") String name,
            HttpServletResponse response,
            Model model) {
        int number = Inputs.node("node", node);
        if (!action.equals("add")) {
            requireName(number, name);
        }
        Job job = changes.start(NodeApi.request(action, number, by, volume), Inputs.version(version), true);
        return redirect("/jobs/" + job.id(), response, model);
    }

    /** Adds a node that has joined; the plan of its share is shown on its page. */
    @PostMapping("/nodes/add")
    String add(@RequestParam String node, @RequestParam String address, HttpServletResponse response, Model model) {
        int number = Inputs.node("node", node);
        changes.setAddress(Inputs.address(number, address), Optional.empty());
        return redirect("/nodes/" + number, response, model);
    }

    @PostMapping("/nodes/{node}/remove")
    String remove(
            @PathVariable String node,
            @RequestParam String version,
            @RequestParam(defaultValue = "") String name,
            HttpServletResponse response,
            Model model) {
        int number = Inputs.node("node", node);
        requireName(number, name);
        changes.remove(number, Inputs.version(version));
        return redirect("/nodes", response, model);
    }

    /** Shows the drills that the node can be given now. */
    @GetMapping("/nodes/{node}/drills")
    String drills(@PathVariable String node, Model model) {
        fill(Inputs.node("node", node), model);
        return "node/node :: drills";
    }

    @PostMapping("/nodes/{node}/drill")
    String drill(@PathVariable String node, @RequestParam String drill, HttpServletRequest request, Model model) {
        int number = Inputs.node("node", node);
        model.addAttribute("message", drills.apply(number, drill, request.getRemoteAddr()));
        return NOTICE;
    }

    private void fill(int number, Model model) {
        NodeInventory.Inventory view = inventory.recent();
        model.addAttribute("view", view);
        model.addAttribute("node", view.node(number));
        model.addAttribute("drills", drills.of(number));
        model.addAttribute("changes", log.about("node-" + number));
        model.addAttribute(
                "others",
                view.nodes().stream()
                        .filter(other -> other.status().number() != number)
                        .toList());
    }

    private static void requireName(int node, String name) {
        if (!name.strip().equals("node-" + node)) {
            throw ApiException.badField("name", "type node-" + node + " to confirm");
        }
    }

    static String redirect(String path, HttpServletResponse response, Model model) {
        response.setHeader("HX-Redirect", path);
        model.addAttribute("message", "Done.");
        return NOTICE;
    }
}
