package io.bulwark.console.accesskey;

import io.bulwark.console.http.ApiException;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Page of access keys. */
@Controller
@RequestMapping("/access-keys")
class AccessKeyPages {
    private static final String ISSUED = "accesskey/list :: issued";

    private final AccessKeyDirectory directory;

    AccessKeyPages(AccessKeyDirectory directory) {
        this.directory = directory;
    }

    @GetMapping
    String list(Model model) {
        fill(model);
        return "accesskey/list";
    }

    @GetMapping("/part")
    String part(Model model) {
        fill(model);
        return "accesskey/list :: list";
    }

    /** @param limits a bucket, or a bucket with a slash and a prefix, in each line */
    @PostMapping
    String create(
            @RequestParam String name,
            @RequestParam String person,
            @RequestParam String rights,
            @RequestParam String limits,
            @RequestParam int hours,
            Model model,
            HttpServletResponse response) {
        AccessKeyDirectory.NewAccessKey wanted =
                new AccessKeyDirectory.NewAccessKey(name, person, rights, places(limits), hours == 0 ? null : hours);
        return shown(directory.create(wanted), model, response);
    }

    @GetMapping("/{id}/dialog")
    String dialog(@PathVariable String id, Model model) {
        model.addAttribute("chosen", directory.find(id));
        return "accesskey/list :: dialog";
    }

    @PostMapping("/{id}/rotation")
    String rotate(@PathVariable String id, @RequestParam int hours, Model model, HttpServletResponse response) {
        return shown(directory.rotate(id, hours), model, response);
    }

    @PostMapping("/{id}/revocation")
    String revoke(@PathVariable String id, Model model) {
        directory.revoke(id, null);
        fill(model);
        return "accesskey/list :: list";
    }

    private void fill(Model model) {
        model.addAttribute("keys", directory.list());
        model.addAttribute("gateways", AccessKeyApi.GatewaysView.of(directory.gateways()));
        model.addAttribute("rights", AccessKeyDirectory.RIGHTS);
    }

    private static String shown(AccessKeyView.Issued issued, Model model, HttpServletResponse response) {
        response.setHeader("Cache-Control", "no-store");
        model.addAttribute("issued", issued);
        return ISSUED;
    }

    private static List<AccessKeyView.@Nullable Place> places(String lines) {
        List<AccessKeyView.@Nullable Place> places = new ArrayList<>();
        for (String line :
                lines.lines().map(String::strip).filter(each -> !each.isEmpty()).toList()) {
            if (places.size() == io.bulwark.protocol.metadata.AccessKey.LIMITS_MAX) {
                throw ApiException.badField("limits", "there are too many lines");
            }
            int slash = line.indexOf('/');
            places.add(
                    slash < 0
                            ? new AccessKeyView.Place(line, "")
                            : new AccessKeyView.Place(line.substring(0, slash), line.substring(slash + 1)));
        }
        return places;
    }
}
