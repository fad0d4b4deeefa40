// Command cluster contains all programs of a Kubernetes control plane and of simulated nodes. The first argument selects
// the program, the others are its arguments. The programs are unmodified parts of Kubernetes, etcd and kwok; kwok
// simulates the kubelets: pods become ready, but run no containers. deploy/helm/check-live builds and runs it.
package main

import (
	"fmt"
	"net"
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/client-go/util/cert"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kwokconfig "sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	kwoklog "sigs.k8s.io/kwok/pkg/log"
	"sigs.k8s.io/kwok/pkg/utils/signals"
)

const usage = "usage: cluster etcd|apiserver|controllers|scheduler|nodes|kubectl|certificate|ports ARGUMENT..."

func main() {
	if len(os.Args) < 2 {
		fail(usage)
	}
	part := os.Args[1]
	// The selected program reads its arguments from os.Args.
	os.Args = append([]string{part}, os.Args[2:]...)
	switch part {
	case "etcd":
		etcdmain.Main(os.Args)
	case "apiserver":
		exit(apiserver.NewAPIServerCommand())
	case "controllers":
		exit(controllers.NewControllerManagerCommand())
	case "scheduler":
		exit(scheduler.NewSchedulerCommand())
	case "nodes":
		nodes()
	case "kubectl":
		if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
			kubectlutil.CheckErr(err)
		}
	case "certificate":
		certificate(os.Args[1:])
	case "ports":
		ports(os.Args[1:])
	default:
		fail(usage)
	}
}

func exit(command *cobra.Command) {
	os.Exit(cli.Run(command))
}

// nodes runs kwok, which parses its flags in two steps.
func nodes() {
	flags := pflag.NewFlagSet("global", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}
	ctx, _ := kwoklog.InitFlags(signals.SetupSignalContext(), flags)
	ctx, err := kwokconfig.InitFlags(ctx, flags)
	if err != nil {
		fail(err.Error())
	}
	// Replaces the default flag set, in which Kubernetes has registered another --version flag than kwok's.
	pflag.CommandLine = pflag.NewFlagSet("nodes", pflag.ContinueOnError)
	command := kwok.NewCommand(ctx)
	command.PersistentFlags().AddFlagSet(flags)
	if err := command.ExecuteContext(ctx); err != nil {
		fail(err.Error())
	}
}

// certificate writes a self-signed certificate for the loopback address and its key to two files.
func certificate(arguments []string) {
	if len(arguments) != 2 {
		fail("usage: cluster certificate CERTIFICATE_FILE KEY_FILE")
	}
	chain, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, []string{"kubernetes.default.svc"})
	if err != nil {
		fail(err.Error())
	}
	for name, content := range map[string][]byte{arguments[0]: chain, arguments[1]: key} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			fail(err.Error())
		}
	}
}

// ports prints free ports; the argument is their number.
func ports(arguments []string) {
	if len(arguments) != 1 {
		fail("usage: cluster ports COUNT")
	}
	count, err := strconv.Atoi(arguments[0])
	if err != nil {
		fail(err.Error())
	}
	for range count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			fail(err.Error())
		}
		// Stays open until the end, so that each port is printed once.
		defer listener.Close()
		fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, "cluster: "+message)
	os.Exit(1)
}
